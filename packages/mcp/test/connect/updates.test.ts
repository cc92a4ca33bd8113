import type { FeatureRequest, OpenProvider, ProviderCall } from '@rollcall/host'
import type { ServerDeclaration } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { failureOf, isRunning, settled, textOf, until } from '../observe.ts'
import { fixture, openProject, type Project } from '../open-project.ts'
import { able, openSession } from '../open-session.ts'

async function asking(project: Project, keep: Partial<ServerDeclaration> = {}, isolation?: 'principal' | 'session') {
  const mcp = project.start()
  const server = { ...fixture('asking-server', { LOG_FILE: project.logFile }), ...keep } as ServerDeclaration
  const words = isolation === undefined ? {} : { isolation }
  const provider = await project.open(mcp, 'a', server, { words })
  await settled(provider)
  return { mcp, provider }
}

function ask(
  provider: OpenProvider,
  method: FeatureRequest['method'],
  params: FeatureRequest['params'],
  call: ProviderCall,
) {
  return provider.request?.({ method, params } as FeatureRequest, call) ?? expect.fail('takes no requests')
}

async function noted(project: Project, start: string): Promise<readonly string[]> {
  return (await project.log()).filter((line) => line.startsWith(`${start} `))
}

describe('updates of a resource', () => {
  it('reach those who subscribed to it, over one subscription of the server, until they leave', async () => {
    await using project = await openProject()
    const { mcp, provider } = await asking(project)
    const [ann, bob, cat] = [openSession('ann'), openSession('bob'), openSession('cat')]
    for (const session of [ann, bob]) {
      expect(await ask(provider, 'resources/subscribe', { uri: 'x:1' }, session.call())).toMatchObject({ ok: true })
    }
    expect(await noted(project, 'subscribe')).toEqual(['subscribe "x:1"'])
    await provider.call('update', { uri: 'x:1' }, cat.call())
    await provider.call('update', { uri: 'x:1/part' }, cat.call())
    await provider.call('update', { uri: 'x:10' }, cat.call())
    await until(() => mcp.servers()[0]?.unattributed === 1)
    expect(ann.heard).toEqual(['resources/updated x:1', 'resources/updated x:1/part'])
    expect(bob.heard).toEqual(ann.heard)
    expect(cat.heard).toEqual([])

    await ask(provider, 'resources/unsubscribe', { uri: 'x:1' }, ann.call())
    expect(await noted(project, 'unsubscribe')).toEqual([])
    bob.end()
    await until(async () => (await noted(project, 'unsubscribe')).length === 1)
    await provider.call('update', { uri: 'x:1' }, cat.call())
    await until(() => mcp.servers()[0]?.unattributed === 2)
    expect(ann.heard).toHaveLength(2)
    expect(bob.heard).toHaveLength(2)
  })

  it('are not missed while the server was away: it comes back by itself, and one update says so', async () => {
    await using project = await openProject()
    const { mcp, provider } = await asking(project)
    const ann = openSession('ann')
    await ask(provider, 'resources/subscribe', { uri: 'x:1' }, ann.call())
    await failureOf(provider.call('crash', {}, openSession('bob').call({ effect: 'write' })))
    await until(() => ann.heard.length === 1)
    expect(ann.heard).toEqual(['resources/updated x:1'])
    expect(await noted(project, 'subscribe')).toHaveLength(2)
    expect(mcp.servers()[0]).toMatchObject({ state: 'ready' })
  })

  it('go on when what was accepted changes and the server is started anew', async () => {
    await using project = await openProject()
    const { mcp, provider } = await asking(project)
    const ann = openSession('ann')
    await ask(provider, 'resources/subscribe', { uri: 'x:1' }, ann.call())
    const pid = textOf(await provider.call('pid', {}, ann.call()))
    expect(await mcp.sync('a', { accept: true, by: 'ann' })).toMatchObject({ status: 'accepted' })
    await until(() => ann.heard.length === 1)
    expect(textOf(await provider.call('pid', {}, ann.call()))).not.toBe(pid)
    await provider.call('update', { uri: 'x:1' }, ann.call())
    await until(() => ann.heard.length === 2)
  })

  it('go to nobody who could not hear them', async () => {
    await using project = await openProject()
    const { provider } = await asking(project)
    const silent = openSession('ann').call({ caller: { capabilities: {} } })
    expect(await ask(provider, 'resources/subscribe', { uri: 'x:1' }, silent)).toMatchObject({ ok: false })
    expect(await noted(project, 'subscribe')).toEqual([])
  })

  it.runIf(process.platform === 'linux')(
    'keep a server from being stopped for idling, and nothing else does',
    async () => {
      await using project = await openProject()
      const { mcp, provider } = await asking(project, { idleMs: 100 })
      const ann = openSession('ann')
      await ask(provider, 'resources/subscribe', { uri: 'x:1' }, ann.call())
      const pid = Number(textOf(await provider.call('pid', {}, ann.call())))
      const other = Number(textOf(await provider.call('pid', {}, openSession('bob', { capabilities: able }).call())))
      await until(() => !isRunning(other))
      expect(isRunning(pid)).toBe(true)
      ann.end()
      await until(() => !isRunning(pid))
      await until(() => mcp.servers()[0]?.connections === 0)
    },
  )
})

describe('log messages', () => {
  it('reach the one session that uses the server, from the level that it asked for', async () => {
    await using project = await openProject()
    const { provider } = await asking(project)
    const ann = openSession('ann')
    await provider.call('log', { level: 'debug', data: 'before' }, ann.call())
    expect(await ask(provider, 'logging/setLevel', { level: 'warning' }, ann.call())).toEqual({ ok: true, result: {} })
    await provider.call('log', { level: 'info', data: 'quiet' }, ann.call())
    await provider.call('log', { level: 'error', data: 'loud' }, ann.call())
    await until(() => ann.heard.length === 2)
    expect(ann.heard).toEqual(['message before', 'message loud'])
    expect(await ask(provider, 'logging/setLevel', { level: 'silly' }, ann.call())).toMatchObject({ ok: false })
  })

  it('R-SEC-04 of one principal never reach another, on a shared server too', async () => {
    await using project = await openProject()
    const { mcp, provider } = await asking(project)
    const [ann, bob] = [openSession('ann'), openSession('bob')]
    for (const session of [ann, bob]) await ask(provider, 'logging/setLevel', { level: 'debug' }, session.call())
    await provider.call('log', { data: 'of ann alone' }, ann.call())
    await provider.call('pid', {}, bob.call())
    await provider.call('log', { data: 'of ann' }, ann.call())
    await provider.call('log', { data: 'of bob' }, bob.call())
    await until(() => mcp.servers()[0]?.unattributed === 2)
    expect(ann.heard).toEqual(['message of ann alone'])
    expect(bob.heard).toEqual([])
    ann.end()
    // It may still be about what ann asked for.
    await provider.call('log', { data: 'of whom' }, bob.call())
    await until(() => mcp.servers()[0]?.unattributed === 3)
    expect(bob.heard).toEqual([])
  })

  it('of a call that was given up stay with its session, also when that has ended', async () => {
    await using project = await openProject()
    const { mcp, provider } = await asking(project)
    const [ann, bob] = [openSession('ann'), openSession('bob')]
    await failureOf(provider.call('abandoned', {}, ann.call({ timeoutMs: 50 })))
    ann.end()
    await provider.call('log', { data: 'of ann, late' }, bob.call())
    await until(() => mcp.servers()[0]?.unattributed === 1)
    expect(bob.heard).toEqual([])
  })

  it('of several sessions of one principal reach the one that asked for a level', async () => {
    await using project = await openProject()
    const { provider } = await asking(project)
    const [one, two] = ['one', 'two'].map((id) => openSession(id, { principal: 'ann' }))
    await provider.call('pid', {}, two?.call() ?? expect.fail())
    await ask(provider, 'logging/setLevel', { level: 'info' }, one?.call() ?? expect.fail())
    await provider.call('log', { data: 'x' }, one?.call() ?? expect.fail())
    await until(() => one?.heard.length === 1)
    expect(two?.heard).toEqual([])
  })

  it('are asked for at the lowest level that anybody wants, again after a restart, and for nobody is a server started', async () => {
    await using project = await openProject()
    const { mcp, provider } = await asking(project)
    const [ann, bob] = [openSession('ann'), openSession('bob')]
    await ask(provider, 'logging/setLevel', { level: 'error' }, ann.call())
    await ask(provider, 'logging/setLevel', { level: 'debug' }, bob.call())
    await ask(provider, 'logging/setLevel', { level: 'info' }, ann.call())
    await until(async () => (await noted(project, 'setLevel')).length === 2)
    await failureOf(provider.call('crash', {}, ann.call({ effect: 'write' })))
    await provider.call('pid', {}, ann.call())
    bob.end()
    await until(async () => (await noted(project, 'setLevel')).length === 4)
    expect(await noted(project, 'setLevel')).toEqual(
      ['error', 'debug', 'debug', 'info'].map((level) => `setLevel "${level}"`),
    )
    await mcp[Symbol.asyncDispose]()

    const before = (await project.log()).length
    const again = await project.open(project.start(), 'a', fixture('asking-server', { LOG_FILE: project.logFile }))
    await ask(again, 'logging/setLevel', { level: 'debug' }, openSession('cat').call())
    expect((await project.log()).slice(before)).toEqual([])
  })
})

describe('other requests', () => {
  it('go to the server as they are, and its error comes back', async () => {
    await using project = await openProject()
    const { provider } = await asking(project)
    const ann = openSession('ann')
    expect(await ask(provider, 'resources/read', { uri: 'x:1' }, ann.call())).toEqual({
      ok: true,
      result: { contents: [{ uri: 'x:1', text: 'one' }] },
    })
    expect(await ask(provider, 'completion/complete', {}, ann.call())).toMatchObject({
      ok: false,
      error: { code: -32601 },
    })
  })
})

describe('a list that has changed', () => {
  it('is listed again without a call, once for many notices, and the host is told', async () => {
    await using project = await openProject()
    const { provider } = await asking(project)
    let told = 0
    provider.onChanged?.(() => {
      told += 1
    })
    await provider.call('changed', { times: 200 }, openSession('ann').call())
    const lists = (await noted(project, 'tools/list')).length
    await until(() => told > 0)
    expect(told).toBe(1)
    expect((await noted(project, 'tools/list')).length).toBe(lists + 1)
  })
})
