import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { localUser, type ProviderEntry } from '@rollcall/host'
import { describe, expect, it } from 'vitest'
import { type OpenCase, openCaseFolder, serversIn } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('21')
const writing = { effect: 'write', approval: 'always' } as const

const calls = [
  ['alpha__send_mail', { to: 'x' }, 'alpha ran send_mail {"to":"x"}'],
  ['beta__send_mail', { recipient: 'x' }, 'beta ran send_mail {"recipient":"x"}'],
  ['alpha__only_alpha', {}, 'alpha ran only_alpha {}'],
  ['beta__only_beta', {}, 'beta ran only_beta {}'],
] as const

async function servers(delays: readonly [alpha: string, beta: string], reversed = false, more: ProviderEntry = {}) {
  const [alpha, beta] = delays
  const entries = Object.entries(
    await serversIn(folder ?? '', { alpha: { DELAY_MS: alpha }, beta: { DELAY_MS: beta } }),
  )
  const ordered = reversed ? entries.reverse() : entries
  return Object.fromEntries(ordered.map(([id, entry]) => [id, { ...entry, ...more }]))
}

async function expectOwnAnswers(opened: OpenCase): Promise<void> {
  const { host } = opened
  const offered = host.tools.all().filter(({ kind }) => kind === 'mcp')
  expect(offered.map(({ name }) => name).sort()).toEqual(calls.map(([name]) => name).sort())
  const required = (name: string) => offered.find((tool) => tool.name === name)?.definition.inputSchema.required
  expect([required('alpha__send_mail'), required('beta__send_mail')]).toEqual([['to'], ['recipient']])
  const outcomes = await Promise.all(calls.map(([name, args]) => opened.call(name, args)))
  expect(outcomes.map(({ text }) => text)).toEqual(calls.map(([, , text]) => text))
}

describe.skipIf(folder === undefined)('one tool name on two servers', () => {
  it.each([
    ['the first is slower', ['200', '0'], false],
    ['the second is slower', ['0', '200'], false],
    ['they stand in the other order', ['200', '0'], true],
  ] as const)(
    'gives two tools, each of its own server, at first sight and after a restart: %s',
    async (_, delays, reversed) => {
      await using home = await openCaseFolder()
      for (let start = 0; start < 3; start += 1) {
        const swapped = start % 2 === 1 ? ([delays[1], delays[0]] as const) : delays
        await using opened = await home.open(await servers(swapped, start === 2 ? !reversed : reversed))
        await opened.settled()
        await expectOwnAnswers(opened)
      }
    },
  )

  it('shares neither an approval nor a switch', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open(await servers(['0', '0'], false, writing))
    await opened.settled()
    const { tools, switches } = opened.host
    const asked = await opened.call('alpha__send_mail', { to: 'x' })
    if (asked.status !== 'waiting') return expect.fail(`it did not ask: ${asked.status}`)
    const { pending } = asked
    const answer = { kind: 'approval', approved: true, binds: pending.binds } as const
    expect(await tools.answer(pending, answer, localUser)).toEqual({ ok: true })
    expect(await opened.call('beta__send_mail', { recipient: 'x' })).toMatchObject({ status: 'waiting' })
    expect(await tools.resume(pending, { principal: localUser })).toMatchObject({ text: calls[0][2] })

    await switches.disable({ kind: 'tool', name: 'beta__send_mail' }, localUser.id)
    expect(await opened.call('beta__send_mail', { recipient: 'x' })).toMatchObject({ status: 'denied' })
    expect(await opened.call('alpha__send_mail', { to: 'x' })).toMatchObject({ status: 'waiting' })
  })

  it('is not answered by the other one when its own is down', async () => {
    await using home = await openCaseFolder()
    const preload = join(home.folder, 'preload.mjs')
    await writeFile(preload, '')
    const { alpha, beta } = await servers(['0', '0'])
    if (alpha?.server === undefined || !('command' in alpha.server)) return expect.fail('it is no command')
    const server = { ...alpha.server, args: ['--import', preload, ...(alpha.server.args ?? [])] }
    const both = { alpha: { ...alpha, server }, beta: beta ?? {} }
    {
      await using opened = await home.open(both)
      await opened.settled()
      await expectOwnAnswers(opened)
    }
    await writeFile(preload, 'process.exit(1)')
    await using opened = await home.open(both)
    expect(await opened.call('alpha__send_mail', { to: 'x' })).toMatchObject({
      status: 'failed',
      code: 'SERVER_UNAVAILABLE',
    })
    expect(await opened.call('beta__send_mail', { recipient: 'x' })).toMatchObject({ status: 'ok', text: calls[1][2] })
  })
})
