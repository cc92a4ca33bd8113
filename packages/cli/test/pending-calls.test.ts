import type { Approval, Host } from '@rollcall/host'
import { describe, expect, it } from 'vitest'
import { findPending, shortIds } from '../src/pending-calls.ts'

function call(callId: string, decision?: Approval['decision']): Approval {
  const pending = { kind: 'approval', callId, tool: 'demo__save' } as Approval['pending']
  return { pending, principal: 'jo', profile: 'default', askedAt: 0, ...(decision && { decision }) } as Approval
}

/** A host at the port: only what waits is asked for. */
const hostWith = (...calls: Approval[]) => ({ tools: { pending: async () => calls } }) as unknown as Host

describe('a waiting call', () => {
  const calls = [call('1111-aaaaaaaa'), call('2222-aaaaaaaa'), call('1111-bbbbbbbb')]

  it('is found by any ending that names it alone', async () => {
    expect(await findPending(hostWith(...calls), 'bbbb')).toBe(calls[2])
    expect(await findPending(hostWith(...calls), '2-aaaaaaaa')).toBe(calls[1])
    await expect(findPending(hostWith(...calls), 'aaaaaaaa')).rejects.toMatchObject({
      code: 'APPROVAL_NOT_FOUND',
      message: expect.stringContaining('2 calls'),
    })
    expect([...shortIds(calls).values()]).toEqual(['1-aaaaaaaa', '2-aaaaaaaa', 'bbbbbbbb'])
  })

  it('that was decided already says so, and how', async () => {
    const approved = call('1111-cccccccc', { by: 'jo', approved: true, at: 1 })
    await expect(findPending(hostWith(...calls, approved), 'cccccccc')).rejects.toMatchObject({
      code: 'APPROVAL_DECIDED',
      message: expect.stringContaining('approved already'),
    })
  })
})
