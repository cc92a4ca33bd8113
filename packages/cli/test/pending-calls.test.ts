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
  const calls = [call('aaaaaaaa-1111'), call('aaaaaaaa-2222'), call('bbbbbbbb-1111')]

  it('is found by any beginning that names it alone', async () => {
    expect(await findPending(hostWith(...calls), 'bbbb')).toBe(calls[2])
    expect(await findPending(hostWith(...calls), 'aaaaaaaa-2')).toBe(calls[1])
    await expect(findPending(hostWith(...calls), 'aaaaaaaa')).rejects.toMatchObject({
      code: 'APPROVAL_NOT_FOUND',
      message: expect.stringContaining('2 calls'),
    })
    expect([...shortIds(calls).values()]).toEqual(['aaaaaaaa-1', 'aaaaaaaa-2', 'bbbbbbbb'])
  })

  it('that was decided already says so, and how', async () => {
    const approved = call('cccccccc-1111', { by: 'jo', approved: true, at: 1 })
    await expect(findPending(hostWith(...calls, approved), 'cccccccc')).rejects.toMatchObject({
      code: 'APPROVAL_DECIDED',
      message: expect.stringContaining('approved already'),
    })
  })
})
