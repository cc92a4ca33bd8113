import { CallFinished } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { localClient, localUser } from '../../src/gate/local-user.ts'
import type { Host } from '../../src/host-types.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { readingTool, writingTool } from '../plugins-in-code.ts'
import { asLocal, brittleStore, eventsOf, hostWith, waitingFor } from './host-with.ts'

// A day passes slowly on a clock that wakes every sleeper in between.
const profiles = [{ name: 'direct', zone: 'local', approvals: { expiresMs: 60_000 } }] as const
const stranger = { ...localClient, id: 'stranger' }
type Waiting = Awaited<ReturnType<typeof waitingFor>>
const decide = (host: Host, { ref, pending }: Waiting, approved: boolean, principal = localUser) =>
  host.tools.answer(ref, { kind: 'approval', binds: pending.binds, approved }, principal)
const endsOf = async (store: Parameters<typeof eventsOf>[0], call: { readonly callId: string }) =>
  (await eventsOf(store, call)).filter(({ type }) => type === 'call.ended')

describe('who may decide', () => {
  it('what belongs to another principal looks unknown, waiting, decided and over alike', async () => {
    await using app = await hostWith([writingTool('write', [])])
    const { tools } = app.host
    const call = await waitingFor(app.host, 'milk')
    const foreign = { principal: stranger }
    const unknown = { status: 'failed', code: 'APPROVAL_NOT_FOUND' }
    expect(await tools.pending(stranger)).toEqual([])
    expect(await tools.resume(call.ref, foreign)).toMatchObject(unknown)
    expect(await tools.wait(call.ref, { ...foreign, timeoutMs: 1_000 })).toMatchObject(unknown)
    await decide(app.host, call, false)
    expect(await tools.resume(call.ref, foreign)).toMatchObject(unknown)
    expect(await decide(app.host, call, true, stranger)).toMatchObject({ code: 'APPROVAL_NOT_FOUND' })
  })

  it('a stranger whose signal is aborted withdraws nothing', async () => {
    const log: string[] = []
    await using app = await hostWith([writingTool('write', log)])
    const call = await waitingFor(app.host, 'milk')
    const options = { principal: stranger, timeoutMs: 1_000, signal: AbortSignal.abort() }
    expect(await app.host.tools.wait(call.ref, options)).toMatchObject({ code: 'APPROVAL_NOT_FOUND' })
    expect(await decide(app.host, call, true)).toEqual({ ok: true })
    expect(await app.host.tools.resume(call.ref, asLocal)).toMatchObject({ status: 'ok' })
  })

  it('a reference whose halves name two calls decides neither', async () => {
    const log: string[] = []
    await using app = await hostWith([writingTool('write', log)])
    const harmless = await waitingFor(app.host, 'harmless')
    const other = await waitingFor(app.host, 'other')
    const mixed = { stream: harmless.ref.stream, callId: other.ref.callId }
    expect(await decide(app.host, { ...harmless, ref: mixed }, true)).toMatchObject({ code: 'APPROVAL_NOT_FOUND' })
    expect(await app.host.tools.resume(other.ref, asLocal)).toMatchObject({ status: 'waiting' })
    expect(log).toEqual([])
  })

  it('what is no clear yes is a no', async () => {
    await using app = await hostWith([writingTool('write', [])])
    const call = await waitingFor(app.host, 'milk')
    expect(await decide(app.host, call, 'false' as never)).toEqual({ ok: true })
    expect(await app.host.tools.resume(call.ref, asLocal)).toMatchObject({ code: 'APPROVAL_DENIED' })
  })
})

describe('an end that can not be written', () => {
  it('R-GOV-04 is no end: what the caller withdrew still waits, and nobody is told that it is cancelled', async () => {
    const store = brittleStore()
    await using app = await hostWith([writingTool('write', [])], { store })
    const call = await waitingFor(app.host, 'milk')
    store.broken.add('append')
    const options = { ...asLocal, timeoutMs: 1_000, signal: AbortSignal.abort() }
    expect(await app.host.tools.wait(call.ref, options)).toMatchObject({ status: 'failed', code: 'STORE_UNAVAILABLE' })
    store.broken.clear()
    expect(await app.host.tools.resume(call.ref, asLocal)).toMatchObject({ status: 'waiting' })
  })
})

describe('how a decided call ends', () => {
  it('every end is told once: denied, withdrawn, expired, executed', async () => {
    const clock = createManualClock()
    await using app = await hostWith([writingTool('write', [])], { clock, profiles })
    const facts: (readonly [string, string])[] = []
    app.host.on(CallFinished, ({ callId, status }) => void facts.push([callId, status]))
    const calls = [await waitingFor(app.host, 'a'), await waitingFor(app.host, 'b'), await waitingFor(app.host, 'c')]
    const [denied, withdrawn, executed] = calls as [Waiting, Waiting, Waiting]
    await decide(app.host, denied, false)
    await app.host.tools.wait(withdrawn.ref, { ...asLocal, timeoutMs: 1, signal: AbortSignal.abort() })
    await decide(app.host, executed, true)
    await app.host.tools.resume(executed.ref, asLocal)
    const late = await waitingFor(app.host, 'd')
    await clock.advance(60_000)
    await app.host.tools.pending(localUser)
    await app.host.tools.resume(late.ref, asLocal)
    expect(facts).toEqual([
      [denied.ref.callId, 'denied'],
      [withdrawn.ref.callId, 'cancelled'],
      [executed.ref.callId, 'ok'],
      [late.ref.callId, 'denied'],
    ])
  })

  it('an approved call whose caller leaves the queue is cancelled, and nobody executes it later', async () => {
    const log: string[] = []
    const free = Promise.withResolvers<string>()
    const slow = readingTool('slow', { execute: () => free.promise })
    await using app = await hostWith([slow, writingTool('write', log)])
    const running = Array.from({ length: 8 }, () => app.host.tools.call('app__slow', {}, asLocal))
    const call = await waitingFor(app.host, 'milk')
    await decide(app.host, call, true)
    const cancel = new AbortController()
    const resumed = app.host.tools.resume(call.ref, { ...asLocal, signal: cancel.signal })
    await new Promise((resolve) => setImmediate(resolve))
    cancel.abort()
    expect(await resumed).toMatchObject({ status: 'cancelled' })
    free.resolve('done')
    await Promise.all(running)
    expect(await app.host.tools.resume(call.ref, asLocal)).toMatchObject({ status: 'cancelled' })
    expect(await endsOf(app.store, call.ref)).toMatchObject([{ status: 'cancelled' }])
    expect(log).toEqual([])
  })

  it('twenty places count for calls that come at the same moment, and an expired one gives its place back', async () => {
    const clock = createManualClock()
    await using app = await hostWith([writingTool('write', [])], { clock, profiles })
    const ask = () => app.host.tools.call('app__write', { text: 'x' }, asLocal)
    const outcomes = await Promise.all(Array.from({ length: 40 }, ask))
    expect(outcomes.filter(({ status }) => status === 'waiting')).toHaveLength(20)
    expect(await app.host.tools.pending(localUser)).toHaveLength(20)
    await clock.advance(60_000)
    expect(await ask()).toMatchObject({ status: 'waiting' })
  })

  it('what a person let through and no longer parses is refused, not asked for ever', async () => {
    const store = createMemoryStore()
    let ref: Waiting['ref'] | undefined
    {
      await using before = await hostWith([writingTool('write', [])], { store })
      const call = await waitingFor(before.host, 'milk')
      await decide(before.host, call, true)
      ref = call.ref
    }
    const strict = writingTool('write', [], { input: { type: 'object', required: ['more'] } as never })
    await using after = await hostWith([strict], { store })
    expect(await after.host.tools.resume(ref, asLocal)).toMatchObject({ code: 'TOOL_ARGUMENTS_INVALID' })
    expect(await endsOf(store, ref)).toMatchObject([{ status: 'failed' }])
  })
})

describe('a store that fails or holds what nobody can read', () => {
  it('nothing rejects but the list, which says why', async () => {
    const store = brittleStore()
    await using app = await hostWith([writingTool('write', [])], { store })
    const call = await waitingFor(app.host, 'milk')
    store.broken.add('read').add('heads')
    const failed = { code: 'STORE_UNAVAILABLE' }
    expect(await decide(app.host, call, true)).toMatchObject(failed)
    expect(await app.host.tools.resume(call.ref, asLocal)).toMatchObject(failed)
    expect(await app.host.tools.wait(call.ref, { ...asLocal, timeoutMs: 1 })).toMatchObject(failed)
    await expect(app.host.tools.pending(localUser)).rejects.toThrow('fire')
    store.broken.clear()
  })

  it('a caller that leaves while the store fails gets an outcome', async () => {
    const store = brittleStore()
    await using app = await hostWith([writingTool('write', [])], { store })
    const call = await waitingFor(app.host, 'milk')
    const cancel = new AbortController()
    const waited = app.host.tools.wait(call.ref, { ...asLocal, timeoutMs: 60_000, signal: cancel.signal })
    await new Promise((resolve) => setImmediate(resolve))
    store.broken.add('read')
    cancel.abort()
    expect(await waited).toMatchObject({ status: 'failed', code: 'STORE_UNAVAILABLE' })
    store.broken.clear()
  })

  it('one unreadable call hides no other, and what is kept of it is not run', async () => {
    const log: string[] = []
    const store = createMemoryStore()
    await using app = await hostWith([writingTool('write', log)], { store })
    const good = await waitingFor(app.host, 'good')
    const loose = await waitingFor(app.host, 'loose')
    const working = (await store.working(loose.ref.stream)) as object
    const { allow: _allow, ...without } = working as { allow: null }
    const head = { status: 'answered', principal: localUser.id }
    const approved = { type: 'call.answered', callId: loose.ref.callId, by: 'x', answer: 'approved', self: true }
    await store.append(loose.ref.stream, 3, [approved], head, without as never)
    const strange = await waitingFor(app.host, 'strange')
    await store.append(strange.ref.stream, 3, [{ type: 'call.revoked' }], head, working as never)
    expect((await app.host.tools.pending(localUser)).map(({ pending }) => pending.callId)).toEqual([good.ref.callId])
    expect(await app.host.tools.resume(loose.ref, asLocal)).toMatchObject({ status: 'failed' })
    expect(await app.host.tools.resume(strange.ref, asLocal)).toMatchObject({ status: 'failed' })
    expect(log).toEqual([])
  })

  it('a word that is no approval executes nothing', async () => {
    const log: string[] = []
    const store = createMemoryStore()
    await using app = await hostWith([writingTool('write', log)], { store })
    const call = await waitingFor(app.host, 'milk')
    const said = { type: 'call.answered', callId: call.ref.callId, by: 'x', answer: 'abort', self: true }
    const working = await store.working(call.ref.stream)
    await store.append(call.ref.stream, 3, [said], { status: 'answered', principal: localUser.id }, working)
    expect(await app.host.tools.resume(call.ref, asLocal)).toMatchObject({ status: 'waiting' })
    expect(log).toEqual([])
  })
})
