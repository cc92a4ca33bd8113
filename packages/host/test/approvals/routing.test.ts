import type { Principal } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { localClient, localUser } from '../../src/gate/local-user.ts'
import type { ApprovalChannel, Approvals } from '../../src/gate/profile.ts'
import type { Host } from '../../src/host-types.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { eventsOf, hostWith, waitingFor } from '../invoke/host-with.ts'
import { writingTool } from '../plugins-in-code.ts'

const asClient = { principal: localClient, profile: 'team' }
const ann: Principal = { kind: 'user', id: 'key:ann', person: 'ann', admin: false, scopes: ['runs:approve'] }
const bob: Principal = { ...ann, id: 'key:bob', person: 'bob' }

async function teamHost(approvals: Approvals, options: Parameters<typeof hostWith>[1] = {}) {
  const log: string[] = []
  const opened = await hostWith([writingTool('write', log)], {
    profiles: [{ name: 'team', zone: 'local', approvals }],
    ...options,
  })
  return { ...opened, log }
}

type Waiting = Awaited<ReturnType<typeof waitingFor>>
type Channel = Exclude<ApprovalChannel, 'elicitation'>
const say = (host: Host, { ref, pending }: Waiting, approved: boolean, by = localUser, channel?: Channel) =>
  host.tools.answer(ref, { kind: 'approval', binds: pending.binds, approved }, by, channel)

describe('where a yes may come from', () => {
  it('R-GOV-43 is console and command unless the profile says otherwise, and is recorded', async () => {
    await using app = await teamHost({})
    const waiting = await waitingFor(app.host, 'one', asClient)
    expect(await say(app.host, waiting, true, localUser, 'cli')).toEqual({ ok: true })
    expect(await eventsOf(app.store, waiting.ref)).toContainEqual(
      expect.objectContaining({ type: 'call.answered', channel: 'cli', by: 'local-user' }),
    )
  })

  it('R-GOV-43 is refused by a way that the profile leaves out, and a no is taken by any', async () => {
    await using app = await teamHost({ channels: ['console'] })
    const waiting = await waitingFor(app.host, 'one', asClient)
    expect(await say(app.host, waiting, true, localUser, 'cli')).toMatchObject({
      ok: false,
      code: 'APPROVAL_ROUTED',
      hint: expect.stringContaining('console'),
    })
    expect((await app.host.tools.pending(localUser)).length).toBe(1)
    expect(await say(app.host, waiting, false, localUser, 'cli')).toEqual({ ok: true })
  })

  it('R-GOV-43 is never shut out for the code of the host application', async () => {
    await using app = await teamHost({ channels: ['console'] })
    expect(await say(app.host, await waitingFor(app.host, 'one', asClient), true)).toEqual({ ok: true })
  })

  it.each(['person', 'id'] as const)(
    'R-GOV-44 is one of those whom "by" names, by %s, admins included',
    async (part) => {
      await using app = await teamHost({ by: [ann[part]] })
      const waiting = await waitingFor(app.host, 'one', asClient)
      for (const other of [bob, localUser])
        expect(await say(app.host, waiting, true, other, 'cli')).toMatchObject({ ok: false, code: 'APPROVAL_ROUTED' })
      expect(await say(app.host, waiting, true, ann, 'cli')).toEqual({ ok: true })
      expect(await say(app.host, waiting, true, ann, 'cli')).toMatchObject({ code: 'APPROVAL_DECIDED' })
    },
  )

  it('R-GOV-44 a no is open to whoever may decide, and to nobody else', async () => {
    await using app = await teamHost({ by: ['ann'] })
    const waiting = await waitingFor(app.host, 'one', asClient)
    expect(await say(app.host, waiting, false, { ...bob, scopes: [] })).toMatchObject({ code: 'APPROVAL_NOT_FOUND' })
    expect(await say(app.host, waiting, false, bob)).toEqual({ ok: true })
  })

  it('R-GOV-44 is anybody who may decide once it has waited for too long', async () => {
    const clock = createManualClock()
    await using app = await teamHost(
      { by: ['ann'], escalateAfterMs: 60_000 },
      { clock, store: createMemoryStore({ clock }) },
    )
    const waiting = await waitingFor(app.host, 'one', asClient)
    await clock.advance(59_999)
    expect(await say(app.host, waiting, true, bob, 'cli')).toMatchObject({ code: 'APPROVAL_ROUTED' })
    await clock.advance(1)
    expect(await say(app.host, waiting, true, bob, 'cli')).toEqual({ ok: true })
  })
})
