import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Approval, localUser } from '@rollcall/host'
import { describe, expect, it } from 'vitest'
import { openCaseFolder, openClient, serverIn } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('25')
const pay = { effect: 'write', approval: 'always' } as const

/** The server of the case, whose payments ask, behind a host and its endpoint. */
async function openPaying() {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await openCaseFolder())
  const file = join(home.folder, 'effects.log')
  const server = { ...serverIn(folder ?? '', { EFFECT_LOG: file }), tools: { pay } }
  const opened = stack.use(await home.open({ c25: server }))
  await opened.settled()
  const { client } = stack.use(await openClient(opened))
  const owned = stack.move()
  return {
    ...opened,
    client,
    effects: async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean),
    pending: async (): Promise<readonly Approval[]> =>
      (await opened.host.tools.pending(localUser)).filter(({ decision }) => decision === undefined),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const toWhom = ({ pending }: Approval) => (pending.args as { readonly to: string }).to

describe.skipIf(folder === undefined)('three calls at once, decided one by one and out of order', () => {
  it('R-GOV-03 each decision executes or refuses its own call, and nothing is lost, invented or repeated', async () => {
    await using opened = await openPaying()
    const call = (name: string, args: Record<string, unknown>) =>
      opened.client.callTool({ name: `c25__${name}`, arguments: args })
    const [k1, k2, k3] = [
      call('note', { t: 'start' }),
      call('pay', { to: 'Ann', cents: 100 }),
      call('pay', { to: 'Bob', cents: 250 }),
    ]
    expect(await k1).toMatchObject({ content: [{ text: expect.stringContaining('note done') }] })
    await expect.poll(async () => (await opened.pending()).length, { timeout: 10_000 }).toBe(2)
    expect(await opened.effects()).toEqual(['note {"t":"start"}'])

    const [bob] = (await opened.pending()).filter((approval) => toWhom(approval) === 'Bob')
    if (bob === undefined) throw new TypeError('nothing waits for Bob')
    const { binds } = bob.pending
    await opened.host.tools.answer(bob.pending, { kind: 'approval', approved: true, binds }, localUser)
    expect(await k3).toMatchObject({ content: [{ text: expect.stringContaining('"Bob"') }] })
    const paid = ['note {"t":"start"}', 'pay {"cents":250,"to":"Bob"}']
    const canonical = async () =>
      (await opened.effects()).map((line) => line.replace('{"to":"Bob","cents":250}', '{"cents":250,"to":"Bob"}'))
    expect(await canonical()).toEqual(paid)
    expect((await opened.pending()).map(toWhom)).toEqual(['Ann'])

    const [ann] = await opened.pending()
    if (ann === undefined) throw new TypeError('nothing waits for Ann')
    const no = { kind: 'approval', approved: false, binds: ann.pending.binds, reason: 'wrong person' } as const
    await opened.host.tools.answer(ann.pending, no, localUser)
    expect(await k2).toMatchObject({ isError: true, _meta: { 'rollcall/code': 'APPROVAL_DENIED' } })
    expect(JSON.stringify(await k2)).toContain('wrong person')
    expect(await opened.pending()).toEqual([])
    expect(await canonical()).toEqual(paid)
  })

  it('R-GOV-62 the record has one decision for each call that was asked about, with who made it', async () => {
    await using opened = await openPaying()
    for (const [to, approved] of [
      ['Ann', false],
      ['Bob', true],
    ] as const) {
      const call = opened.client.callTool({ name: 'c25__pay', arguments: { to, cents: 1 } })
      await expect.poll(async () => (await opened.pending()).length, { timeout: 10_000 }).toBe(1)
      const [approval] = await opened.pending()
      if (approval === undefined) throw new TypeError('nothing waits')
      await opened.host.tools.answer(
        approval.pending,
        { kind: 'approval', approved, binds: approval.pending.binds },
        localUser,
      )
      await call
    }
    const answers: unknown[] = []
    for (const { stream } of await opened.store.heads({ kind: 'call' }))
      for await (const { event } of opened.store.read(stream)) if (event.type === 'call.answered') answers.push(event)
    expect(answers).toMatchObject([
      { answer: 'denied', by: 'local-user' },
      { answer: 'approved', by: 'local-user' },
    ])
  })
})
