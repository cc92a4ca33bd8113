import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Approval, localUser, type ToolOutcome } from '@rollcall/host'
import { describe, expect, it } from 'vitest'
import { openCaseFolder, serverIn } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('26')
const pay = { effect: 'write', approval: 'always' } as const

/** The server of the case behind a host, and a payment that waits for a person. */
async function openWaiting() {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await openCaseFolder())
  const file = join(home.folder, 'effects.log')
  const server = { ...serverIn(folder ?? '', { EFFECT_LOG: file, WORK_MS: '1000' }), tools: { pay } }
  const opened = stack.use(await home.open({ c26: server }))
  await opened.settled()
  const { tools } = opened.host
  const waits = async (options: { readonly signal?: AbortSignal } = {}): Promise<Approval['pending']> => {
    const outcome = await tools.call('c26__pay', { to: 'Ann', cents: 100 }, { principal: localUser, ...options })
    if (outcome.status !== 'waiting') throw new TypeError(outcome.status)
    return outcome.pending
  }
  const pending = await waits()
  const owned = stack.move()
  return {
    tools,
    pending,
    waits,
    answer: ({ binds, ...call }: Approval['pending'], approved: boolean) =>
      tools.answer(call, { kind: 'approval', approved, binds }, localUser),
    wait: (call: Approval['pending'], signal?: AbortSignal): Promise<ToolOutcome> =>
      tools.wait(call, { principal: localUser, timeoutMs: 15_000, ...(signal && { signal }) }),
    effects: async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

describe.skipIf(folder === undefined)('approving twice, late, or what is not there', () => {
  it('R-GOV-03 two yeses at the same moment run it once, and the second is told', async () => {
    await using at = await openWaiting()
    const ended = at.wait(at.pending)
    const said = await Promise.all([at.answer(at.pending, true), at.answer(at.pending, true)])
    expect(said.filter(({ ok }) => ok)).toHaveLength(1)
    expect(said).toContainEqual(expect.objectContaining({ ok: false, code: 'APPROVAL_DECIDED' }))
    expect(await ended).toMatchObject({ status: 'ok' })
    expect(await at.effects()).toHaveLength(1)
  })

  it('R-GOV-03 of a yes and a no at the same moment one wins, and the other is told', async () => {
    await using at = await openWaiting()
    const ended = at.wait(at.pending)
    const [yes, no] = await Promise.all([at.answer(at.pending, true), at.answer(at.pending, false)])
    expect([yes.ok, no.ok].filter(Boolean)).toHaveLength(1)
    expect(await ended).toMatchObject({ status: yes.ok ? 'ok' : 'denied' })
    expect(await at.effects()).toHaveLength(yes.ok ? 1 : 0)
  })

  it('R-GOV-04 after a cancel it can not be approved, is in no list, and never runs', async () => {
    await using at = await openWaiting()
    const gone = new AbortController()
    const ended = at.wait(at.pending, gone.signal)
    gone.abort()
    expect(await ended).toMatchObject({ status: 'cancelled' })
    expect(await at.answer(at.pending, true)).toMatchObject({ ok: false, code: 'APPROVAL_DECIDED' })
    expect(await at.tools.pending(localUser)).toEqual([])
    expect(await at.tools.resume(at.pending, { principal: localUser })).toMatchObject({ status: 'cancelled' })
    expect(await at.effects()).toEqual([])
  })

  it('R-GOV-04 after it is done a second yes does nothing', async () => {
    await using at = await openWaiting()
    const ended = at.wait(at.pending)
    await at.answer(at.pending, true)
    expect(await ended).toMatchObject({ status: 'ok' })
    expect(await at.answer(at.pending, true)).toMatchObject({ ok: false, code: 'APPROVAL_DECIDED' })
    await at.tools.resume(at.pending, { principal: localUser })
    expect(await at.effects()).toHaveLength(1)
  })

  it('R-GOV-04 an unknown id, and the id of another call, approve nothing', async () => {
    await using at = await openWaiting()
    const other = await at.waits()
    const unknown = { ...at.pending, callId: 'zz9', stream: 'call/zz9' as const }
    expect(await at.answer(unknown, true)).toMatchObject({ ok: false, code: 'APPROVAL_NOT_FOUND' })
    // Half of one call and half of the other.
    expect(await at.answer({ ...at.pending, callId: other.callId }, true)).toMatchObject({ code: 'APPROVAL_NOT_FOUND' })
    const left = await at.tools.pending(localUser)
    expect(left.map(({ pending }) => pending.callId).toSorted()).toEqual([at.pending.callId, other.callId].toSorted())
    expect(await at.effects()).toEqual([])
  })
})
