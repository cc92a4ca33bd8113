import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { silentLogger, Type } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { createContentBook } from '../../src/audit/content-book.ts'
import { keepDays } from '../../src/audit/keep-days.ts'
import { readAudit } from '../../src/audit/read-audit.ts'
import { verifyAudit } from '../../src/audit/verify-audit.ts'
import { localUser } from '../../src/gate/local-user.ts'
import type { HostOptions } from '../../src/host-options.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { asLocal, hostWith } from '../invoke/host-with.ts'
import { readingTool, writingTool } from '../plugins-in-code.ts'
import { hurried } from './sinks/receivers.ts'

const token = `ghp_${'a1B2'.repeat(9)}`
const dayMs = 24 * 60 * 60_000
const hostOf = (audit: HostOptions['audit'], options: HostOptions = {}) =>
  hostWith([readingTool('read'), writingTool('write', [])], { ...(audit && { audit }), ...options })
const recordsOf = (store: Parameters<typeof readAudit>[0]) => Array.fromAsync(readAudit(store, 0, { content: true }))

describe('the content of the audit', () => {
  it('R-GOV-69 is not kept unless the operator says so', async () => {
    await using app = await hostOf(undefined)
    await app.host.tools.call('app__read', { text: 'milk' }, asLocal)
    expect(JSON.stringify(await recordsOf(app.store))).not.toContain('milk')
    expect((await app.store.rows.counts()).blobs).toBe(0)
  })

  it('R-GOV-69 is arguments and outcome, without secrets, and told only to who asks for it', async () => {
    await using app = await hostOf({ content: 'redacted' })
    await app.host.tools.call('app__read', { text: `milk ${token}` }, asLocal)
    const [record] = await recordsOf(app.store)
    expect(record).toMatchObject({ args: expect.stringContaining('milk'), text: expect.stringContaining('read: milk') })
    expect(JSON.stringify(record)).not.toContain(token)
    expect(await Array.fromAsync(readAudit(app.store))).not.toContainEqual(
      expect.objectContaining({ args: expect.anything() }),
    )
  })

  it('R-GOV-69 is as it was where the operator wants it full, of what was refused and what waited, too', async () => {
    await using app = await hostOf({ content: 'full' })
    await app.host.tools.call('app__gone', { text: 'nothing' }, asLocal)
    const waiting = await app.host.tools.call('app__write', { text: token }, asLocal)
    if (waiting.status !== 'waiting') throw new TypeError(waiting.status)
    const { pending } = waiting
    await app.host.tools.answer(pending, { kind: 'approval', approved: true, binds: pending.binds }, localUser)
    await app.host.tools.resume(pending, asLocal)
    expect(await recordsOf(app.store)).toMatchObject([
      { status: 'denied', args: '{"text":"nothing"}' },
      { status: 'ok', args: `{"text":"${token}"}`, text: expect.stringContaining('wrote') },
    ])
  })

  it('R-GOV-69 has what a person said, where one was asked for values', async () => {
    const amount = Type.Object({ amount: Type.Integer() })
    const pay = writingTool('pay', [], { asksPerson: amount, approval: 'notNeeded', execute: () => 'paid' })
    await using app = await hostWith([pay], { audit: { content: 'full' } })
    const waiting = await app.host.tools.call('app__pay', { text: 'rent' }, asLocal)
    if (waiting.status !== 'waiting') throw new TypeError(waiting.status)
    const { binds } = waiting.pending
    await app.host.tools.answer(waiting.pending, { kind: 'input', data: { amount: 3 }, binds }, localUser)
    await app.host.tools.resume(waiting.pending, asLocal)
    expect(await recordsOf(app.store)).toMatchObject([{ args: '{"amount":3,"text":"rent"}', text: 'paid' }])
  })
})

describe('the days of the audit', () => {
  it('R-GOV-72 are kept by one of the processes on a store, once a day, and what is left still verifies', async () => {
    const { privateKey: key } = generateKeyPairSync('ed25519')
    const clock = createManualClock(1_700_000_000_000)
    const store = createMemoryStore({ clock })
    const content = createContentBook(store, 'full')
    const call = async (callId: string) => {
      const stream = `call/${callId}` as const
      const ended = { type: 'call.ended', callId, status: 'ok', durationMs: 1 }
      await store.append(stream, 0, [{ type: 'call.proposed' }, ended], { status: 'ok', principal: 'ada' })
      await content.keepText({ stream, callId, principal: 'ada' }, `said ${callId}`)
    }
    const left = async () => (await store.heads({ kind: 'call' })).map(({ stream }) => stream)
    await call('old')
    await clock.advance(dayMs)
    await call('young')

    const closing = new AbortController()
    const options = { store, key, days: 2, clock, logger: silentLogger, signal: closing.signal }
    keepDays(options)
    keepDays(options)
    for (let hour = 0; hour < 30; hour += 1) await clock.advance(60 * 60_000)
    expect(await left()).toEqual(['call/young'])
    expect((await store.rows.counts()).blobs).toBe(1)
    const pruned = (await Array.fromAsync(store.read(`audit/${store.chain.id}`))).filter(
      ({ event }) => event.type === 'audit.pruned',
    )
    expect(pruned).toHaveLength(1)
    expect((await verifyAudit(store, createPublicKey(key))).breaks).toEqual([])
    closing.abort()
    for (let hour = 0; hour < 48; hour += 1) await clock.advance(60 * 60_000)
    expect(await left()).toEqual(['call/young'])
  })

  it('R-GOV-72 are kept by a host that has a key to vouch for the cut', async () => {
    const { privateKey: auditKey } = generateKeyPairSync('ed25519')
    const store = createMemoryStore()
    const clock = hurried(600)
    await using app = await hostOf({ keepDays: 1 }, { store, auditKey, clock })
    expect(app.host.tools.all().length).toBeGreaterThan(0)
    await expect.poll(() => store.settings.get('retention/last')).toMatchObject({ value: expect.any(Number) })
    await using other = await hostOf({ keepDays: 1 }, { clock })
    await new Promise((settle) => setTimeout(settle, 300))
    expect(await other.store.settings.get('retention/last')).toBeUndefined()
  })
})
