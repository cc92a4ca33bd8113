import { readFile } from 'node:fs/promises'
import { createHost, localUser } from '@rollcall/host'
import { describe, expect, it } from 'vitest'
import { heldIn, list, settled, textOf, until } from '../observe.ts'
import { callBy, fixture, hostEnvironment, openProject } from '../open-project.ts'
import { able, openSession } from '../open-session.ts'
import { openServer } from './open-stateless.ts'

/** The server that is declared under one name, as the lock file has it. */
async function locked(path: string, appId: string): Promise<unknown> {
  return JSON.parse(await readFile(path, 'utf8')).servers[appId]
}

describe('a declared server of 2026-07-28', () => {
  it('is asked once which era it speaks; the verdict is pinned with its day and holds at the next start', async () => {
    await using project = await openProject()
    const declared = { ...fixture('stateless-stdio', { LOG_FILE: project.logFile }), protocol: 'auto' as const }
    const first = project.start()
    const listing = await settled(await project.open(first, 'new', declared))
    expect(heldIn(listing)).toMatchObject({ echo: '', ask: '' })
    const today = new Date().toISOString().slice(0, 10)
    expect(await locked(project.lockFile, 'new')).toMatchObject({
      protocol: { era: 'stateless', on: today },
      protocolVersion: '2026-07-28',
      serverInfo: { name: 'stateless', version: '1.2.3' },
      instructions: 'Ask first.',
    })
    await first[Symbol.asyncDispose]()

    const before = (await project.log()).filter((line) => line === 'started').length
    const mcp = project.start()
    const provider = await project.open(mcp, 'new', declared)
    await list(provider)
    expect(textOf(await provider.call('echo', { a: 1 }, callBy()))).toBe('{"a":1}')
    expect(mcp.servers()).toMatchObject([{ state: 'ready', protocolVersion: '2026-07-28' }])
    expect((await project.log()).filter((line) => line === 'started')).toHaveLength(before + 1)
  })

  it('that is pinned to the older era is not asked again', async () => {
    await using project = await openProject()
    const server = fixture('asking-server', { LOG_FILE: project.logFile })
    const first = project.start()
    await settled(await project.open(first, 'old', server))
    expect(await locked(project.lockFile, 'old')).toMatchObject({ protocol: { era: 'session' } })
    await first[Symbol.asyncDispose]()
    const before = (await project.log()).filter((line) => line === 'started').length
    const provider = await project.open(project.start(), 'old', server)
    await list(provider)
    await provider.call('log', { data: 'x' }, callBy())
    expect((await project.log()).filter((line) => line === 'started')).toHaveLength(before + 1)
  })

  it('is shared by two sessions that are asked at the same time, each of its own calls', async () => {
    await using project = await openProject()
    const mcp = project.start()
    const provider = await project.open(mcp, 'new', { ...fixture('stateless-stdio'), protocol: 'stateless' })
    await settled(provider)
    const calls = ['ann', 'bob'].flatMap((id) => {
      const session = openSession(id, { capabilities: able })
      return Array.from({ length: 20 }, async (_, of) => {
        const word = `${id} ${of}`
        const answer = JSON.parse(textOf(await provider.call('ask', { word }, session.call())))
        expect(answer).toEqual({ action: 'accept', content: { word, by: id } })
      })
    })
    await Promise.all(calls)
    // One that is told of nothing for its first list, and one for both who can be asked.
    expect(mcp.servers()).toMatchObject([{ connections: 2, unattributed: 0 }])
  })

  it('says that its list has changed, and the new tool is held', async () => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'new', { ...fixture('stateless-stdio'), protocol: 'auto' })
    await settled(provider)
    await provider.call('change', { name: 'fresh' }, callBy())
    await until(async () => heldIn(await list(provider)).fresh !== undefined)
    expect(heldIn(await list(provider)).fresh).toBe('new')
  })

  it('tells a session of the resource that it subscribed to', async () => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'new', { ...fixture('stateless-stdio'), protocol: 'auto' })
    await settled(provider)
    const session = openSession('ann')
    const call = () => session.call()
    const subscribed = await provider.request?.(
      { method: 'resources/subscribe', params: { uri: 'memo://one' } },
      call(),
    )
    expect(subscribed).toMatchObject({ ok: true })
    await provider.call('update', { uri: 'memo://one' }, call())
    await until(() => session.heard.length > 0)
    expect(session.heard).toEqual(['resources/updated memo://one'])
  })

  it.each(['stdio', 'http'] as const)('is a tool of the whole host, over %s', async (kind) => {
    await using project = await openProject()
    await using remote = await openServer('http')
    const url = remote.resolved.kind === 'http' ? remote.resolved.url.href : ''
    const server = kind === 'stdio' ? fixture('stateless-stdio') : { url }
    const mcp = project.start({ env: hostEnvironment })
    await using host = await createHost({
      connectMcp: mcp.connect,
      providers: {
        new: {
          server: { ...server, protocol: 'auto' },
          dataClass: 'publicContent',
          effect: 'read',
          approval: 'notNeeded',
        },
      },
    })
    await until(() => host.tools.list({ principal: localUser, profile: 'default' }).length > 0)
    const outcome = await host.tools.call('new__echo', { a: 1 }, { principal: localUser })
    expect(outcome).toMatchObject({ status: 'ok', text: '{"a":1}' })
    expect(mcp.servers()).toMatchObject([{ protocolVersion: '2026-07-28' }])
  })
})
