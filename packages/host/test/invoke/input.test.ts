import type { Json } from '@rollcall/plugin'
import { Type } from '@rollcall/plugin'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localClient, localUser } from '../../src/gate/local-user.ts'
import type { HostOptions } from '../../src/host-options.ts'
import type { Host } from '../../src/host-types.ts'
import type { Pending, ToolOutcome } from '../../src/invoke/outcome.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { writingTool } from '../plugins-in-code.ts'
import { asLocal, eventsOf, hostWith } from './host-with.ts'

type Form = Extract<Pending, { kind: 'input' }>

const amount = Type.Object({ amount: Type.Integer({ minimum: 1, maximum: 100 }), note: Type.Optional(Type.String()) })
const input = Type.Object({ text: Type.String(), amount: Type.Integer(), note: Type.Optional(Type.String()) })

/** A tool that pays: a model says for what, and a person how much. */
function payingTool(log: Json[], change: Partial<Parameters<typeof writingTool>[2]> = {}) {
  return {
    ...writingTool('write', []),
    input,
    asksPerson: amount,
    approval: 'notNeeded' as const,
    preview: () => ['pays'],
    execute: (args: unknown) => {
      log.push(args as Json)
      return 'paid'
    },
    ...change,
  }
}

const hostOf = async (log: Json[], change = {}, options: HostOptions = {}) =>
  hostWith([payingTool(log, change)], options)

async function asked(host: Host, args: Json = { text: 'rent' }, options = asLocal): Promise<Form> {
  const outcome = await host.tools.call('app__write', args, options)
  if (outcome.status !== 'waiting' || outcome.pending.kind !== 'input') throw new TypeError(JSON.stringify(outcome))
  return outcome.pending
}

const say = (host: Host, { binds, ...call }: Form, data: Json, by = localUser) =>
  host.tools.answer(call, { kind: 'input', data, binds }, by)

describe('a tool that asks a person for values', () => {
  it('R-GOV-54 runs with what a model said and what a person said, and is recorded with the digest of both', async () => {
    const log: Json[] = []
    await using app = await hostOf(log)
    const form = await asked(app.host)
    expect(form).toMatchObject({ args: { text: 'rent' }, schema: { properties: { amount: {}, note: {} } } })
    expect(log).toEqual([])
    expect(await say(app.host, form, { amount: 7 })).toEqual({ ok: true })
    expect(await app.host.tools.resume(form, asLocal)).toMatchObject({ status: 'ok', text: 'paid' })
    expect(log).toEqual([{ amount: 7, text: 'rent' }])
    const events = await eventsOf(app.store, form)
    expect(events.map(({ type }) => type)).toEqual([
      'call.proposed',
      'call.gated',
      'call.asked',
      'call.answered',
      'call.started',
      'call.ended',
    ])
    expect(events[2]).toMatchObject({ kind: 'input' })
    expect(events[3]).toMatchObject({ answer: 'submitted', args: expect.stringMatching(/^hmac:/) })
    expect(JSON.stringify(events)).not.toContain('rent')
    expect(await app.store.working(form.stream)).toBeUndefined()
  })

  it('R-GOV-55 drops what a model says for them, and does not show them to it', async () => {
    const log: Json[] = []
    await using app = await hostOf(log)
    const view = app.host.tools.all().find(({ name }) => name === 'app__write')
    expect(Object.keys(view?.definition.inputSchema.properties as object)).toEqual(['text'])
    expect(view?.definition.inputSchema.required).toEqual(['text'])
    expect(view?.asks).toEqual(['amount', 'note'])
    const form = await asked(app.host, { text: 'rent', amount: 100, note: 'from the model' })
    expect(form.args).toEqual({ text: 'rent' })
    await say(app.host, form, { amount: 2 })
    await app.host.tools.resume(form, asLocal)
    expect(log).toEqual([{ amount: 2, text: 'rent' }])
  })

  it.each<[string, Json]>([
    ['a value out of bounds', { amount: 101 }],
    ['a value of another type', { amount: '7' }],
    ['a missing value', { note: 'x' }],
    ['nothing', {}],
    ['no object', [7]],
    ['null', null],
  ])('R-GOV-56 leaves the call waiting at %s, with what is wrong', async (_what, data) => {
    const log: Json[] = []
    await using app = await hostOf(log)
    const form = await asked(app.host)
    expect(await say(app.host, form, data)).toMatchObject({ ok: false, code: 'INPUT_INVALID' })
    expect(await app.host.tools.resume(form, asLocal)).toMatchObject({ status: 'waiting' })
    expect(await say(app.host, form, { amount: 1 })).toEqual({ ok: true })
  })

  it('R-GOV-56 takes only what the tool asks for', async () => {
    const log: Json[] = []
    await using app = await hostOf(log)
    const form = await asked(app.host)
    await say(app.host, form, { amount: 3, text: 'something else', evil: true })
    await app.host.tools.resume(form, asLocal)
    expect(log).toEqual([{ amount: 3, text: 'rent' }])
  })

  it('R-GOV-57 is then approved as a whole where it needs that, with what the person said on the card', async () => {
    const log: Json[] = []
    await using app = await hostOf(log, { approval: 'always' })
    const form = await asked(app.host)
    await say(app.host, form, { amount: 9 })
    const second = await app.host.tools.resume(form, asLocal)
    if (second.status !== 'waiting' || second.pending.kind !== 'approval') throw new TypeError(second.status)
    expect(second.pending).toMatchObject({ args: { amount: 9, text: 'rent' }, preview: ['pays'] })
    expect(log).toEqual([])
    const { pending } = second
    const yes = { kind: 'approval', approved: true, binds: pending.binds } as const
    expect(await app.host.tools.answer(pending, yes, localUser)).toEqual({ ok: true })
    expect(await app.host.tools.resume(form, asLocal)).toMatchObject({ status: 'ok' })
    expect(log).toEqual([{ amount: 9, text: 'rent' }])
  })

  it('R-GOV-57 needs no second question under a yes that is good for a while', async () => {
    const log: Json[] = []
    await using app = await hostOf(log, { approval: 'always' })
    const first = await asked(app.host)
    await say(app.host, first, { amount: 1 })
    const waiting = await app.host.tools.resume(first, asLocal)
    if (waiting.status !== 'waiting') throw new TypeError(waiting.status)
    const { binds } = waiting.pending
    const grant = { args: 'any', for: 60_000 } as const
    await app.host.tools.answer(first, { kind: 'approval', approved: true, binds, grant }, localUser)
    await app.host.tools.resume(first, asLocal)
    const next = await asked(app.host)
    await say(app.host, next, { amount: 2 })
    expect(await app.host.tools.resume(next, asLocal)).toMatchObject({ status: 'ok' })
    expect(log).toHaveLength(2)
  })

  it('R-GOV-58 is refused, withdrawn or over like any call that waits, and then takes nothing any more', async () => {
    const clock = createManualClock()
    await using app = await hostOf([], {}, { clock, store: createMemoryStore({ clock }) })
    const denied = await asked(app.host)
    const no = { kind: 'approval', approved: false, binds: denied.binds } as const
    expect(await app.host.tools.answer(denied, no, localUser)).toEqual({ ok: true })
    expect(await app.host.tools.resume(denied, asLocal)).toMatchObject({ status: 'denied', code: 'APPROVAL_DENIED' })
    expect(await say(app.host, denied, { amount: 1 })).toMatchObject({ code: 'APPROVAL_DECIDED' })

    const late = await asked(app.host)
    await clock.advance(24 * 60 * 60_000)
    expect(await say(app.host, late, { amount: 1 })).toMatchObject({ code: 'APPROVAL_EXPIRED' })
    expect(await app.host.tools.resume(late, asLocal)).toMatchObject({ status: 'denied', code: 'APPROVAL_EXPIRED' })
  })

  it('R-GOV-58 a yes is no value, and a stranger says nothing', async () => {
    await using app = await hostOf([])
    const form = await asked(app.host)
    const yes = { kind: 'approval', approved: true, binds: form.binds } as const
    expect(await app.host.tools.answer(form, yes, localUser)).toMatchObject({ code: 'APPROVAL_NOT_FOUND' })
    expect(await say(app.host, form, { amount: 1 }, localClient)).toMatchObject({ code: 'APPROVAL_NOT_FOUND' })
    expect(await say(app.host, { ...form, binds: `sha256:${'0'.repeat(64)}` }, { amount: 1 })).toMatchObject({
      code: 'APPROVAL_STALE',
    })
  })

  it('R-GOV-58 asks again when the tool has become another one since', async () => {
    const store = createMemoryStore()
    const log: Json[] = []
    const form = await (async () => {
      await using app = await hostOf(log, {}, { store })
      const pending = await asked(app.host)
      await say(app.host, pending, { amount: 5 })
      return pending
    })()
    await using later = await hostOf(log, { description: 'Pays more.' }, { store })
    const outcome: ToolOutcome = await later.host.tools.resume(form, asLocal)
    expect(outcome).toMatchObject({
      status: 'waiting',
      pending: { kind: 'input' },
      text: expect.stringMatching(/STALE/),
    })
    expect(log).toEqual([])
  })

  it('R-GOV-58 waits over the end of its process, and another one goes on', async () => {
    const store = createMemoryStore()
    const log: Json[] = []
    const form = await (async () => {
      await using app = await hostOf(log, {}, { store })
      return await asked(app.host)
    })()
    await using later = await hostOf(log, {}, { store })
    const [approval] = await later.host.tools.pending(localUser)
    expect(approval?.pending).toEqual(form)
    await say(later.host, form, { amount: 5 })
    expect(await later.host.tools.resume(form, asLocal)).toMatchObject({ status: 'ok' })
    expect(log).toHaveLength(1)
  })

  it.each([
    ['a password', { password: Type.String() }],
    ['an api key', { apiKey: Type.String() }],
    ['a password field', { word: Type.String({ format: 'password' }) }],
    ['a secret by its description', { word: Type.String({ description: 'Enter your access token here.' }) }],
    ['nothing', {}],
  ])('R-GOV-59 is left out where it asks for %s', async (_what, properties) => {
    await using app = await hostOf([], { asksPerson: Type.Object(properties) })
    expect(app.host.tools.all().map(({ name }) => name)).not.toContain('app__write')
    expect(app.host.report().findings).toContainEqual(
      expect.objectContaining({ code: 'TOOL_INVALID', message: expect.stringContaining('asksPerson') }),
    )
  })

  it('R-GOV-03 whatever two hosts do with one form in whatever order, the tool runs at most once', async () => {
    const step = fc.tuple(fc.constantFrom('submit', 'deny', 'resume', 'wait', 'approve'), fc.constantFrom(0, 1))
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), fc.boolean(), async (steps, approves) => {
        const store = createMemoryStore()
        const log: Json[] = []
        const change = approves ? { approval: 'always' as const } : {}
        await using one = await hostOf(log, change, { store })
        await using two = await hostOf(log, change, { store })
        const form = await asked(one.host)
        await Promise.all(
          steps.map(async ([what, at]) => {
            const host = [one, two][at]?.host ?? one.host
            if (what === 'submit') await say(host, form, { amount: 1 + at })
            if (what === 'resume') await host.tools.resume(form, asLocal)
            if (what === 'wait') await host.tools.wait(form, { ...asLocal, timeoutMs: 5 })
            const [waiting] = await host.tools.pending(localUser)
            if (waiting === undefined) return
            const { binds } = waiting.pending
            if (what === 'deny') await host.tools.answer(form, { kind: 'approval', approved: false, binds }, localUser)
            if (what === 'approve')
              await host.tools.answer(form, { kind: 'approval', approved: true, binds }, localUser)
          }),
        )
        expect(log.length).toBeLessThanOrEqual(1)
        const ends = (await eventsOf(store, form)).filter(({ type }) => type === 'call.ended')
        expect(ends.length).toBeLessThanOrEqual(1)
        expect(log.length).toBeLessThanOrEqual(ends.length + 1)
      }),
      { numRuns: 60 },
    )
  })
})
