import { describe, expect, it } from 'vitest'
import { localClient, localUser } from '../../src/gate/local-user.ts'
import type { Host } from '../../src/host-types.ts'
import type { Answer } from '../../src/invoke/outcome.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { readingTool, writingTool } from '../plugins-in-code.ts'
import { asLocal, brittleStore, eventsOf, hostWith, waitingFor } from './host-with.ts'

const tenMinutesMs = 600_000

/** A process began a call and died: what it wrote is there, its end never comes. Another looks at it some time later. */
async function leftBehind(change: NonNullable<Parameters<typeof writingTool>[2]>, laterMs = tenMinutesMs) {
  const clock = createManualClock()
  const inner = createMemoryStore({ clock })
  const store = brittleStore(inner)
  const dying = await hostWith(
    [
      writingTool('write', [], {
        ...change,
        execute() {
          store.broken.add('append')
          return 'its end is lost'
        },
      }),
    ],
    { store, clock },
  )
  const begin = async () => {
    if (change.approval === 'notNeeded') return await dying.host.tools.call('app__write', { text: 'milk' }, asLocal)
    const { ref, pending } = await waitingFor(dying.host, 'milk')
    await dying.host.tools.answer(ref, { kind: 'approval', approved: true, binds: pending.binds }, localUser)
    return await dying.host.tools.resume(ref, asLocal)
  }
  const { callId } = await begin()
  await dying.host[Symbol.asyncDispose]()
  const log: string[] = []
  const later = createManualClock(laterMs)
  const next = await hostWith([writingTool('write', log, change)], { store: inner, clock: later })
  return { ...next, store: inner, log, ref: { stream: `call/${callId}`, callId } as const }
}

const treat = async (host: Host, treatAs: Extract<Answer, { kind: 'unknown' }>['treatAs']) => {
  const [lost] = await host.tools.pending(localUser)
  if (lost === undefined) throw new TypeError('nothing waits')
  return await host.tools.answer(lost.pending, { kind: 'unknown', treatAs, binds: lost.pending.binds }, localUser)
}

describe.each([
  ['that needed no approval', { approval: 'notNeeded' } as const],
  ['that was approved', {} as const],
])('a write %s, begun by a process that died', (_which, change) => {
  it('R-GOV-09 waits for a person as soon as no process can be executing it any more', async () => {
    await using early = await leftBehind(change, 1_000)
    expect(await early.host.tools.pending(localUser)).toEqual([])
    expect(await early.host.tools.resume(early.ref, asLocal)).toMatchObject({ code: 'APPROVAL_DECIDED' })
    await using app = await leftBehind(change)
    expect(await app.host.tools.pending(localUser)).toMatchObject([
      {
        pending: { kind: 'unknown', callId: app.ref.callId, tool: 'app__write', args: { text: 'milk' } },
        claimed: true,
      },
    ])
    expect(await app.host.tools.pending({ ...localClient, id: 'other' })).toEqual([])
    expect(await app.host.tools.resume(app.ref, asLocal)).toMatchObject({
      status: 'waiting',
      pending: { kind: 'unknown' },
    })
    expect(app.log).toEqual([])
  })

  it('is executed again once for one `retry`, with a single end', async () => {
    await using app = await leftBehind(change)
    expect(await treat(app.host, 'retry')).toEqual({ ok: true })
    expect(await treat(app.host, 'retry')).toMatchObject({ ok: false, code: 'APPROVAL_DECIDED' })
    expect(await app.host.tools.pending(localUser)).toMatchObject([{ decision: { approved: true }, claimed: false }])
    const outcomes = await Promise.all([1, 2, 3].map(() => app.host.tools.resume(app.ref, asLocal)))
    expect(outcomes.filter(({ status }) => status === 'ok')).toHaveLength(1)
    expect(app.log).toEqual(['milk'])
    expect((await eventsOf(app.store, app.ref)).filter(({ type }) => type === 'call.ended')).toHaveLength(1)
    expect(await app.host.tools.pending(localUser)).toEqual([])
  })

  it.each([
    ['done', { status: 'ok' }],
    ['abort', { status: 'unknown', code: 'TOOL_OUTCOME_UNKNOWN' }],
  ] as const)('is over after `%s`, and executed by nobody', async (treatAs, end) => {
    await using app = await leftBehind(change)
    expect(await treat(app.host, treatAs)).toEqual({ ok: true })
    expect((await eventsOf(app.store, app.ref)).at(-1)).toMatchObject({ type: 'call.ended', ...end })
    await app.host.tools.resume(app.ref, asLocal)
    expect(await app.host.tools.pending(localUser)).toEqual([])
    expect(app.log).toEqual([])
  })

  it('that nobody sees to ends as unknown after a week', async () => {
    await using app = await leftBehind(change, 8 * 24 * 60 * 60 * 1000)
    expect(await app.host.tools.pending(localUser)).toEqual([])
    expect((await eventsOf(app.store, app.ref)).at(-1)).toMatchObject({ type: 'call.ended', status: 'unknown' })
  })

  it('takes no approval for an answer, and no answer from who may not decide', async () => {
    await using app = await leftBehind(change)
    const [lost] = await app.host.tools.pending(localUser)
    const binds = lost?.pending.binds ?? 'sha256:0'
    const code = async (given: Answer, principal = localUser) => {
      const answered = await app.host.tools.answer(app.ref, given, principal)
      return answered.ok ? 'ok' : answered.code
    }
    expect(await code({ kind: 'approval', approved: true, binds })).toBe('APPROVAL_NOT_FOUND')
    expect(await code({ kind: 'unknown', treatAs: 'retry', binds }, localClient)).toBe('APPROVAL_NOT_FOUND')
    expect(await code({ kind: 'unknown', treatAs: 'retry', binds: 'sha256:0' })).toBe('APPROVAL_STALE')
  })
})

it('an approved read whose process died does no harm: it is cancelled, and nobody is asked', async () => {
  const clock = createManualClock()
  const inner = createMemoryStore({ clock })
  const store = brittleStore(inner)
  const read = readingTool('write', {
    approval: 'always',
    execute() {
      store.broken.add('append')
      return 'lost'
    },
  })
  const dying = await hostWith([read], { store, clock })
  const { ref, pending } = await waitingFor(dying.host, 'x')
  await dying.host.tools.answer(ref, { kind: 'approval', approved: true, binds: pending.binds }, localUser)
  await dying.host.tools.resume(ref, asLocal)
  await dying.host[Symbol.asyncDispose]()
  await using next = await hostWith([read], { store: inner, clock: createManualClock(tenMinutesMs) })
  expect(await next.host.tools.pending(localUser)).toEqual([])
  expect((await eventsOf(inner, ref)).at(-1)).toMatchObject({ type: 'call.ended', status: 'cancelled' })
})
