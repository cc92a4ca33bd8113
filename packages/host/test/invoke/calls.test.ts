import { CallFinished, isRollcallError } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { createHost } from '../../src/create-host.ts'
import { localClient, localUser } from '../../src/gate/local-user.ts'
import type { ToolOutcome } from '../../src/invoke/outcome.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { pluginWith, readingTool, writingTool } from '../plugins-in-code.ts'
import { asLocal, eventsOf, hostWith, waitingFor } from './host-with.ts'

describe('the journal of a call', () => {
  it('R-GOV-02 a read is recorded whole, a write before it starts', async () => {
    const log: string[] = []
    const store = createMemoryStore()
    let duringWrite: readonly string[] = []
    const write = writingTool('write', log, {
      approval: 'notNeeded',
      async execute(_args, { callId }) {
        duringWrite = (await eventsOf(store, { callId })).map(({ type }) => type)
        return 'done'
      },
    })
    await using app = await hostWith([readingTool('read'), write], { store })
    const read = await app.host.tools.call('app__read', {}, asLocal)
    expect((await eventsOf(store, read)).map(({ type }) => type)).toEqual([
      'call.proposed',
      'call.gated',
      'call.started',
      'call.ended',
    ])
    const wrote = await app.host.tools.call('app__write', { text: 'x' }, asLocal)
    expect(duringWrite).toEqual(['call.proposed', 'call.gated', 'call.started'])
    expect((await eventsOf(store, wrote)).at(-1)).toMatchObject({ type: 'call.ended', status: 'ok' })
  })

  it('R-GOV-02 a refused call leaves evidence, without its arguments', async () => {
    await using app = await hostWith([readingTool('read')])
    const refused = await app.host.tools.call('app__nothing', { text: 'a-very-private-text' }, asLocal)
    const events = await eventsOf(app.store, refused)
    expect(events.map(({ type }) => type)).toEqual(['call.proposed', 'call.gated', 'call.ended'])
    expect(JSON.stringify(events)).not.toContain('a-very-private-text')
    expect(events[0]).toMatchObject({ tool: 'app__nothing', effect: 'write', dataClass: 'secretAdjacent' })
  })

  it('a write is not executed when it can not be recorded', async () => {
    const log: string[] = []
    const store = createMemoryStore()
    await using app = await hostWith([writingTool('write', log, { approval: 'notNeeded' })], {
      store: {
        ...store,
        settings: store.settings,
        append: async () => {
          throw new TypeError('disk full')
        },
      },
    })
    expect(await app.host.tools.call('app__write', { text: 'x' }, asLocal)).toMatchObject({
      status: 'failed',
      code: 'STORE_UNAVAILABLE',
    })
    expect(log).toEqual([])
  })
})

describe('arguments', () => {
  it('R-GOV-07 are never read as {}: broken text, arrays, null and numbers fail', async () => {
    await using app = await hostWith([readingTool('read')])
    for (const args of ['{"text": ', '[]', 'null', '7', '""', '', [], null, 7, () => {}]) {
      expect(await app.host.tools.call('app__read', args, asLocal)).toMatchObject({
        status: 'failed',
        code: 'TOOL_ARGUMENTS_INVALID',
      })
    }
    expect(await app.host.tools.call('app__read', '{"text":"y"}', asLocal)).toMatchObject({
      status: 'ok',
      text: 'read: y',
    })
  })

  it('R-GOV-07 the tool gets a frozen value of its own, whatever the caller does to its object', async () => {
    const received: unknown[] = []
    const keep = readingTool('read', {
      execute(args) {
        received.push(args)
        return Object.isFrozen(args) ? 'frozen' : 'loose'
      },
    })
    await using app = await hostWith([keep])
    const args = { text: 'before' }
    const call = app.host.tools.call('app__read', args, asLocal)
    args.text = 'after'
    expect(await call).toMatchObject({ text: 'frozen' })
    expect(received).toEqual([{ text: 'before' }])
  })

  it('that do not fit the schema are refused with their path, deep and huge ones too', async () => {
    await using app = await hostWith([readingTool('read')])
    const wrong = await app.host.tools.call('app__read', { text: 7 }, asLocal)
    expect(wrong).toMatchObject({ status: 'failed', code: 'TOOL_ARGUMENTS_INVALID' })
    expect(wrong.text).toContain('text')
    let deep: unknown = 'x'
    for (let level = 0; level < 70; level++) deep = { deep }
    expect(await app.host.tools.call('app__read', deep, asLocal)).toMatchObject({ code: 'TOOL_ARGUMENTS_INVALID' })
    expect(await app.host.tools.call('app__read', { text: 'x'.repeat(1_000_001) }, asLocal)).toMatchObject({
      code: 'TOOL_ARGUMENTS_INVALID',
    })
  })
})

describe('the end of a call', () => {
  const hanging = () => new Promise<never>(() => {})

  it('R-GOV-05 a read that takes too long failed, a write is unknown', async () => {
    const clock = createManualClock()
    await using app = await hostWith(
      [
        readingTool('read', { execute: hanging, timeoutMs: 1_000 }),
        writingTool('write', [], { execute: hanging, timeoutMs: 1_000, approval: 'notNeeded' }),
      ],
      { clock },
    )
    for (const [tool, args, expected] of [
      ['app__read', {}, { status: 'failed', code: 'TOOL_TIMEOUT' }],
      ['app__write', { text: 'x' }, { status: 'unknown', code: 'TOOL_OUTCOME_UNKNOWN' }],
    ] as const) {
      let outcome: ToolOutcome | undefined
      void app.host.tools.call(tool, args, asLocal).then((settled) => {
        outcome = settled
      })
      for (let step = 0; step < 20 && outcome === undefined; step++) await clock.advance(250)
      expect(outcome).toMatchObject(expected)
    }
  })

  it('R-GOV-05 a cancelled read is cancelled soon although its tool ignores it, a started write is unknown', async () => {
    const reading = Promise.withResolvers<void>()
    const writing = Promise.withResolvers<void>()
    const stubborn = (begun: () => void) => () => {
      begun()
      return hanging()
    }
    await using app = await hostWith([
      readingTool('read', { execute: stubborn(reading.resolve) }),
      writingTool('write', [], { execute: stubborn(writing.resolve), approval: 'notNeeded' }),
    ])
    const cancel = new AbortController()
    const read = app.host.tools.call('app__read', {}, { ...asLocal, signal: cancel.signal })
    const write = app.host.tools.call('app__write', { text: 'x' }, { ...asLocal, signal: cancel.signal })
    await Promise.all([reading.promise, writing.promise])
    const began = performance.now()
    cancel.abort()
    expect(await read).toMatchObject({ status: 'cancelled' })
    expect(await write).toMatchObject({ status: 'unknown' })
    expect(performance.now() - began).toBeLessThan(2_000)
  })

  it('progress extends the time of a call up to its total', async () => {
    const clock = createManualClock()
    const busy = readingTool('read', {
      timeoutMs: 1_000,
      async execute(_args, { progress, signal }) {
        for (let step = 0; step < 5 && !signal.aborted; step++) {
          await clock.sleep(800)
          progress(step, 5)
        }
        return 'made it'
      },
    })
    await using app = await hostWith([busy], { clock })
    let outcome: ToolOutcome | undefined
    void app.host.tools.call('app__read', {}, asLocal).then((settled) => {
      outcome = settled
    })
    for (let step = 0; step < 60 && outcome === undefined; step++) await clock.advance(100)
    expect(outcome).toMatchObject({ status: 'ok', text: 'made it' })
  })

  it('a result over 10 MB and one that reports an error fail; facts are told', async () => {
    await using app = await hostWith([
      readingTool('huge', { execute: () => 'x'.repeat(10_000_001) }),
      readingTool('soft', { execute: () => ({ isError: true, content: [{ type: 'text', text: 'no such city' }] }) }),
    ])
    const facts: CallFinished[] = []
    app.host.on(CallFinished, (fact) => {
      facts.push(fact)
    })
    expect(await app.host.tools.call('app__huge', {}, asLocal)).toMatchObject({ status: 'failed', code: 'TOOL_FAILED' })
    expect(await app.host.tools.call('app__soft', {}, asLocal)).toMatchObject({
      status: 'failed',
      text: 'no such city',
    })
    expect(facts.map(({ tool, status }) => [tool, status])).toEqual([
      ['app__huge', 'failed'],
      ['app__soft', 'failed'],
    ])
  })
})

describe('approvals', () => {
  it('R-GOV-03 an approved call is executed once, however often it is resumed', async () => {
    const log: string[] = []
    await using app = await hostWith([writingTool('write', log)])
    const { ref, pending } = await waitingFor(app.host, 'milk')
    expect(pending).toMatchObject({ args: { text: 'milk' }, preview: ['would write milk'] })
    expect(log).toEqual([])
    expect(
      await app.host.tools.answer(ref, { kind: 'approval', binds: pending.binds, approved: true }, localUser),
    ).toEqual({ ok: true })
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => app.host.tools.resume(ref, asLocal)))
    expect(outcomes.filter(({ status }) => status === 'ok')).toHaveLength(1)
    expect(
      outcomes.filter((outcome) => outcome.status === 'failed' && outcome.code === 'APPROVAL_DECIDED'),
    ).toHaveLength(19)
    expect(log).toEqual(['milk'])
  })

  it('R-GOV-03 two hosts on one store execute it once', async () => {
    const store = createMemoryStore()
    const log: string[] = []
    await using one = await hostWith([writingTool('write', log)], { store })
    await using other = await hostWith([writingTool('write', log)], { store })
    const { ref, pending } = await waitingFor(one.host, 'milk')
    await other.host.tools.answer(ref, { kind: 'approval', binds: pending.binds, approved: true }, localUser)
    const outcomes = await Promise.all([one, other, one, other].map(({ host }) => host.tools.resume(ref, asLocal)))
    expect(outcomes.filter(({ status }) => status === 'ok')).toHaveLength(1)
    expect(log).toEqual(['milk'])
  })

  it('R-GOV-04 each wrong answer has its code and no effect', async () => {
    const log: string[] = []
    const clock = createManualClock()
    await using app = await hostWith([writingTool('write', log)], {
      clock,
      profiles: [{ name: 'direct', zone: 'local', approvals: { expiresMs: 60_000 } }],
    })
    const { tools } = app.host
    const code = async (
      ref: Parameters<typeof tools.answer>[0],
      binds: typeof first.pending.binds,
      principal = localUser,
      approved = true,
    ) => {
      const answered = await tools.answer(ref, { kind: 'approval', binds, approved }, principal)
      return answered.ok ? 'ok' : answered.code
    }
    const first = await waitingFor(app.host, 'milk')
    expect(await code({ stream: 'call/none', callId: 'none' }, first.pending.binds)).toBe('APPROVAL_NOT_FOUND')
    expect(await code(first.ref, 'sha256:00')).toBe('APPROVAL_STALE')
    expect(await code(first.ref, first.pending.binds, localClient)).toBe('APPROVAL_NOT_FOUND')
    expect(await code(first.ref, first.pending.binds, localUser, false)).toBe('ok')
    expect(await code(first.ref, first.pending.binds)).toBe('APPROVAL_DECIDED')
    expect(await tools.resume(first.ref, asLocal)).toMatchObject({ status: 'denied', code: 'APPROVAL_DENIED' })
    const second = await waitingFor(app.host, 'bread')
    await clock.advance(60_001)
    expect(await code(second.ref, second.pending.binds)).toBe('APPROVAL_EXPIRED')
    expect(await tools.resume(second.ref, asLocal)).toMatchObject({ status: 'denied', code: 'APPROVAL_EXPIRED' })
    expect(await tools.pending(localUser)).toEqual([])
    expect(log).toEqual([])
  })

  it('R-SEC-10 what changed since it was approved goes back to the person', async () => {
    const log: string[] = []
    let number = 1
    await using app = await hostWith([writingTool('write', log, { preview: () => [`note ${number}`] })])
    const { ref, pending } = await waitingFor(app.host, 'milk')
    await app.host.tools.answer(ref, { kind: 'approval', binds: pending.binds, approved: true }, localUser)
    number = 2
    const again = await app.host.tools.resume(ref, asLocal)
    expect(again).toMatchObject({ status: 'waiting', pending: { preview: ['note 2'] } })
    expect(again.text).toContain('APPROVAL_STALE')
    expect(again.text).toContain('note 1')
    expect(log).toEqual([])
  })

  it('a waiting call is executed by the process in which it waits as soon as somebody approves', async () => {
    const log: string[] = []
    const store = createMemoryStore()
    await using waiter = await hostWith([writingTool('write', log)], { store })
    await using other = await hostWith([writingTool('write', [])], { store })
    const { ref, pending } = await waitingFor(waiter.host, 'milk')
    const outcome = waiter.host.tools.wait(ref, { ...asLocal, timeoutMs: 10_000 })
    await other.host.tools.answer(ref, { kind: 'approval', binds: pending.binds, approved: true }, localUser)
    expect(await outcome).toMatchObject({ status: 'ok', text: 'wrote milk' })
    expect(log).toEqual(['milk'])
  })

  it('a wait that is over leaves the call watched, one whose caller left withdraws it', async () => {
    const log: string[] = []
    await using app = await hostWith([writingTool('write', log)])
    const late = await waitingFor(app.host, 'late')
    expect(await app.host.tools.wait(late.ref, { ...asLocal, timeoutMs: 10 })).toMatchObject({ status: 'waiting' })
    await app.host.tools.answer(late.ref, { kind: 'approval', binds: late.pending.binds, approved: true }, localUser)
    await expect.poll(() => log).toEqual(['late'])
    const left = await waitingFor(app.host, 'left')
    const cancel = new AbortController()
    const waited = app.host.tools.wait(left.ref, { ...asLocal, timeoutMs: 10_000, signal: cancel.signal })
    cancel.abort()
    expect(await waited).toMatchObject({ status: 'cancelled' })
    const answered = await app.host.tools.answer(
      left.ref,
      { kind: 'approval', binds: left.pending.binds, approved: true },
      localUser,
    )
    expect(answered).toMatchObject({ ok: false, code: 'APPROVAL_DECIDED' })
    expect(log).toEqual(['late'])
  })

  it('a principal has at most twenty calls before a person', async () => {
    await using app = await hostWith([writingTool('write', [])])
    for (let call = 0; call < 20; call++) await waitingFor(app.host, `${call}`)
    expect(await app.host.tools.call('app__write', { text: 'x' }, asLocal)).toMatchObject({
      status: 'failed',
      code: 'BUSY',
    })
  })
})

describe('profiles', () => {
  it('an unknown profile denies a call and throws where nothing is called', async () => {
    await using app = await hostWith([readingTool('read')])
    expect(await app.host.tools.call('app__read', {}, { ...asLocal, profile: 'moon' })).toMatchObject({
      status: 'denied',
      code: 'TOOL_DENIED',
    })
    try {
      app.host.tools.list({ ...asLocal, profile: 'moon' })
      expect.unreachable()
    } catch (error) {
      expect(isRollcallError(error, 'CONFIG_INVALID')).toBe(true)
    }
  })

  it('what is denied by zone is neither listed nor callable, and why says it', async () => {
    await using app = await hostWith([readingTool('secret', { dataClass: 'secretAdjacent' })])
    const outside = { principal: localClient, profile: 'default' }
    expect(app.host.tools.list(outside).map(({ name }) => name)).toEqual([])
    expect(await app.host.tools.call('app__secret', {}, outside)).toMatchObject({
      status: 'denied',
      code: 'TOOL_DENIED',
    })
    expect(app.host.tools.why('app__secret', outside).verdict).toMatchObject({ verdict: 'deny', decidedBy: 'zone' })
  })
})

describe('switches', () => {
  it('R-GOV-06 an off stays off whatever the digest, an on holds for one digest', async () => {
    const store = createMemoryStore()
    const boot = (description: string) =>
      createHost({
        store,
        plugins: [pluginWith('app', writingTool('write', [], { description }), readingTool('read'))],
      })
    const holdsOf = (host: Awaited<ReturnType<typeof createHost>>, name: string) =>
      host.tools
        .all()
        .find((tool) => tool.name === name)
        ?.holds.map(({ by }) => by)
    {
      await using host = await boot('First.')
      expect(holdsOf(host, 'app__write')).toEqual(['default'])
      expect(await host.tools.call('app__write', { text: 'x' }, asLocal)).toMatchObject({
        status: 'denied',
        code: 'TOOL_HELD',
      })
      await host.switches.enable({ kind: 'tool', name: 'app__write' }, 'jo')
      await host.switches.disable({ kind: 'tool', name: 'app__read' }, 'jo')
      expect(holdsOf(host, 'app__write')).toEqual([])
      expect(holdsOf(host, 'app__read')).toEqual(['switch'])
    }
    await using same = await boot('First.')
    expect(holdsOf(same, 'app__write')).toEqual([])
    await using changed = await boot('Second.')
    expect(holdsOf(changed, 'app__write')).toEqual(['default'])
    expect(holdsOf(changed, 'app__read')).toEqual(['switch'])
    const unknown = await changed.switches
      .enable({ kind: 'tool', name: 'app__gone' }, 'jo')
      .catch((error: unknown) => error)
    expect(isRollcallError(unknown, 'TOOL_NOT_FOUND')).toBe(true)
  })

  it('a group switch covers tools that come later, and another host on the store sees it', async () => {
    const store = createMemoryStore()
    await using host = await createHost({
      store,
      plugins: [pluginWith('app', readingTool('read', { group: 'files' }))],
    })
    await using other = await createHost({
      store,
      plugins: [pluginWith('app', readingTool('read', { group: 'files' }))],
    })
    await host.switches.disable({ kind: 'group', group: 'files' }, 'jo')
    await host.add(pluginWith('more', readingTool('read', { group: 'files' })))
    expect(
      host.tools
        .all()
        .filter(({ holds }) => holds.length > 0)
        .map(({ name }) => name),
    ).toEqual(['app__read', 'more__read'])
    await expect
      .poll(() => other.tools.list(asLocal).some(({ name }) => name === 'app__read'), { timeout: 5_000 })
      .toBe(false)
    await host.switches.enable({ kind: 'group', group: 'files' }, 'jo')
    expect(host.tools.list(asLocal).map(({ name }) => name)).toContain('more__read')
  })
})
