import { join } from 'node:path'
import { localUser } from '@rollcall/host'
import { describe, expect, it } from 'vitest'
import { type OpenCase, openCaseFolder, serverIn, words } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('04')

const offeredBy = ({ host }: OpenCase) => host.tools.all().filter(({ appId }) => appId === 'c04')

describe.skipIf(folder === undefined)('names that no client would take', () => {
  it('are offered under names of their own, and each call reaches its tool', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c04: serverIn(folder ?? '') })
    await opened.settled()
    const offered = offeredBy(opened)
    expect(offered).toHaveLength(9)
    expect(new Set(offered.map(({ name }) => name)).size).toBe(9)
    expect(offered.filter(({ name }) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([])
    for (const { name, definition } of offered) {
      const raw = definition.description?.slice('raw:'.length)
      expect(await opened.call(name), name).toMatchObject({ status: 'ok', text: `raw=${raw}` })
    }
    const about = opened.host.report().findings.filter(({ about }) => about.appId === 'c04')
    expect(about.filter(({ severity }) => severity === 'warn')).toMatchObject([{ code: 'TOOL_INVALID' }])
  })

  it('stay the same after a restart, and in a list of another order', async () => {
    await using home = await openCaseFolder()
    const namesOf = async () => {
      await using opened = await home.open({ c04: serverIn(folder ?? '') })
      await opened.settled()
      return offeredBy(opened).map(({ original, name }) => [original, name])
    }
    const first = new Map((await namesOf()) as [string, string][])
    expect(new Map((await namesOf()) as [string, string][])).toEqual(first)

    await using reversed = await openCaseFolder()
    const preload = `data:text/javascript,${encodeURIComponent(reverseLists)}`
    const server = { command: 'node', args: ['--import', preload, join(folder ?? '', 'server.mjs')] }
    await using opened = await reversed.open({ c04: { ...words, server } })
    await opened.settled()
    const again = offeredBy(opened).map(({ original, name }) => [original, name] as const)
    expect(new Map(again)).toEqual(first)
  })

  it('are told apart by a rule, and the record carries the real name', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c04: serverIn(folder ?? '') })
    await opened.settled()
    const nameOf = (original: string) => offeredBy(opened).find((tool) => tool.original === original)?.name ?? ''
    const who = { principal: localUser, allow: [nameOf('a.b')] }
    expect(opened.host.tools.list(who).map(({ original }) => original)).toEqual(['a.b'])
    const answered = await opened.host.tools.call(nameOf('a.b'), {}, who)
    expect(answered).toMatchObject({ text: 'raw=a.b' })
    const events = await Array.fromAsync(opened.store.read(`call/${answered.callId}`))
    expect(events.map(({ event }) => event)).toContainEqual(
      expect.objectContaining({ type: 'call.proposed', tool: nameOf('a.b'), original: 'a.b' }),
    )
    for (const other of ['a_b', 'a-b']) {
      expect(await opened.host.tools.call(nameOf(other), {}, who)).toMatchObject({ status: 'denied' })
    }
  })
})

/** Runs in the server before its own code: every list leaves in reverse order. */
const reverseLists = `
const write = process.stdout.write
process.stdout.write = function (text, ...rest) {
  const message = JSON.parse(text)
  message.result?.tools?.reverse()
  return write.call(this, JSON.stringify(message) + '\\n', ...rest)
}`
