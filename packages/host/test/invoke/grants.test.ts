import type { ToolDefinition } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { localClient, localUser } from '../../src/gate/local-user.ts'
import type { HostOptions } from '../../src/host-options.ts'
import type { Host } from '../../src/host-types.ts'
import type { GrantWish } from '../../src/invoke/outcome.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { pluginWith, writingTool } from '../plugins-in-code.ts'
import { asLocal, eventsOf, hostWith, waitingFor } from './host-with.ts'

const hourMs = 60 * 60_000
const profiles = [{ name: 'team', zone: 'local', approvals: { expiresMs: 60_000 } }] as const
type Waiting = Awaited<ReturnType<typeof waitingFor>>

const grant = (host: Host, { ref, pending }: Waiting, wish: GrantWish, by = localUser) =>
  host.tools.answer(ref, { kind: 'approval', binds: pending.binds, approved: true, grant: wish }, by)
const write = (host: Host, text: string, options: Parameters<Host['tools']['call']>[2] = asLocal) =>
  host.tools.call('app__write', { text }, options)
const hostOf = (log: string[], change: Partial<ToolDefinition> = {}, options: HostOptions = {}) =>
  hostWith([writingTool('write', log, change)], options)

describe('a yes that is good for a while', () => {
  it('R-GOV-15 covers the next calls of the tool until it is over, and each is recorded as granted', async () => {
    const clock = createManualClock()
    const log: string[] = []
    await using app = await hostOf(log, {}, { clock })
    const first = await waitingFor(app.host, 'one')
    expect(first.pending.once).toBeUndefined()
    expect(await grant(app.host, first, { args: 'any', for: hourMs })).toEqual({ ok: true })
    const second = await write(app.host, 'two')
    expect(second.status).toBe('ok')
    const [, gated] = await eventsOf(app.store, second)
    expect(gated).toMatchObject({
      type: 'call.gated',
      verdict: 'allow',
      why: expect.stringContaining('granted by local-user'),
    })
    await clock.advance(hourMs)
    expect((await write(app.host, 'three')).status).toBe('waiting')
    expect(log).toEqual(['two'])
  })

  it('R-GOV-15 of exact arguments covers no other ones', async () => {
    await using app = await hostOf([])
    await grant(app.host, await waitingFor(app.host, 'one'), { args: 'exact', for: hourMs })
    expect((await write(app.host, 'one')).status).toBe('ok')
    expect((await write(app.host, 'other')).status).toBe('waiting')
  })

  it('R-GOV-15 covers that principal, profile and session alone', async () => {
    await using app = await hostOf([], {}, { profiles })
    const client = { session: 's1', name: 'editor' }
    const mine = { principal: localClient, profile: 'team', client }
    await grant(app.host, await waitingFor(app.host, 'one', mine), { args: 'any', for: 'session' })
    expect((await write(app.host, 'two', mine)).status).toBe('ok')
    expect((await write(app.host, 'two', { ...mine, client: { ...client, session: 's2' } })).status).toBe('waiting')
    expect((await write(app.host, 'two', { ...mine, profile: 'direct' })).status).toBe('waiting')
    expect((await write(app.host, 'two', { ...mine, principal: { ...localClient, id: 'other' } })).status).toBe(
      'waiting',
    )
  })

  it('R-GOV-15 is listed, and gone for every host at once when it is revoked', async () => {
    const store = createMemoryStore()
    await using app = await hostOf([], {}, { store })
    await using other = await hostOf([], {}, { store })
    await grant(app.host, await waitingFor(app.host, 'one'), { args: 'any', for: hourMs })
    expect((await write(other.host, 'two')).status).toBe('ok')
    const [listed] = await other.host.tools.grants(localUser)
    expect(listed).toMatchObject({ tool: 'app__write', principal: 'local-user', profile: 'direct', by: 'local-user' })
    expect(await app.host.tools.grants({ ...localClient, id: 'stranger' })).toEqual([])
    expect(await app.host.tools.revoke(listed?.id ?? '', { ...localClient, id: 'stranger' })).toMatchObject({
      ok: false,
    })
    expect(await app.host.tools.revoke(listed?.id ?? '', localUser)).toEqual({ ok: true })
    expect(await app.host.tools.revoke(listed?.id ?? '', localUser)).toMatchObject({ code: 'APPROVAL_NOT_FOUND' })
    expect((await write(other.host, 'three')).status).toBe('waiting')
  })

  it('R-SEC-02 R-GOV-15 is void as soon as the tool is defined otherwise', async () => {
    const store = createMemoryStore()
    {
      await using app = await hostOf([], {}, { store })
      await grant(app.host, await waitingFor(app.host, 'one'), { args: 'any', for: hourMs })
    }
    await using later = await hostOf([], { description: 'Writes more than it did.' }, { store })
    expect((await write(later.host, 'two')).status).toBe('waiting')
    await later.host.add(pluginWith('other', writingTool('write', [])))
  })

  const refused: readonly (readonly [string, Partial<ToolDefinition>, HostOptions, GrantWish])[] = [
    ['for a write next to secrets', { dataClass: 'secretAdjacent' }, {}, { args: 'any', for: hourMs }],
    ['for an administrators’ tool', { adminOnly: true }, {}, { args: 'any', for: hourMs }],
    ['for more than eight hours', {}, {}, { args: 'any', for: 9 * hourMs }],
    ['for no time', {}, {}, { args: 'any', for: 0 }],
    ['for a session where there is none', {}, {}, { args: 'any', for: 'session' }],
    ['where a rule asks', {}, { rules: [{ when: { tool: 'app__*' }, then: 'ask' }] }, { args: 'any', for: hourMs }],
    [
      'where a preset asks each time',
      {},
      { providers: { app: { preset: 'database', off: false, approval: 'always' } } },
      { args: 'any', for: hourMs },
    ],
  ]
  it.each(refused)('R-GOV-15 is refused %s, and the call goes on waiting', async (_, change, options, wish) => {
    await using app = await hostOf([], change, options)
    const call = await waitingFor(app.host, 'one')
    expect(await grant(app.host, call, wish)).toMatchObject({ ok: false, code: 'GRANT_REFUSED' })
    expect((await app.host.tools.resume(call.ref, asLocal)).status).toBe('waiting')
    expect(await app.host.tools.grants(localUser)).toEqual([])
  })
})

describe('four eyes', () => {
  const team = [{ name: 'team', zone: 'local', fourEyes: true }] as const
  const jo = { ...localClient, id: 'key-1', person: 'jo' }
  const deciding = { scopes: ['tools:call', 'runs:approve'] } as const

  it('R-SEC-24 R-GOV-16 are two persons: a second key of the same one is refused, an administrator too', async () => {
    const log: string[] = []
    await using app = await hostOf(log, {}, { profiles: team })
    const call = await waitingFor(app.host, 'one', { principal: jo, profile: 'team' })
    const approve = (principal: typeof localUser) =>
      app.host.tools.answer(call.ref, { kind: 'approval', binds: call.pending.binds, approved: true }, principal)
    expect(await approve({ ...jo, id: 'key-2', ...deciding })).toMatchObject({ ok: false, code: 'APPROVAL_SELF' })
    expect(await approve({ ...localUser, person: 'jo' })).toMatchObject({ ok: false, code: 'APPROVAL_SELF' })
    expect(log).toEqual([])
    expect(await approve({ ...jo, id: 'key-9', person: 'ann', ...deciding })).toEqual({ ok: true })
    expect(await app.host.tools.resume(call.ref, { principal: jo, profile: 'team' })).toMatchObject({ status: 'ok' })
  })

  it('R-GOV-16 leave everybody the right to say no, and give no grant', async () => {
    await using app = await hostOf([], {}, { profiles: team })
    const call = await waitingFor(app.host, 'one', { principal: jo, profile: 'team' })
    expect(call.pending.once).toContain('four eyes')
    const no = { kind: 'approval', binds: call.pending.binds, approved: false } as const
    expect(await app.host.tools.answer(call.ref, no, { ...jo, id: 'key-2', ...deciding })).toEqual({ ok: true })
    expect(await app.host.tools.resume(call.ref, { principal: jo, profile: 'team' })).toMatchObject({
      code: 'APPROVAL_DENIED',
    })
  })
})
