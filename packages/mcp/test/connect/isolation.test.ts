import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failureOf, isRunning, list, settled, textOf, until } from '../observe.ts'
import { callBy, fixture, openProject } from '../open-project.ts'
import { able, openSession } from '../open-session.ts'

const require = createRequire(import.meta.url)
const memory = {
  command: 'node',
  args: [join(dirname(require.resolve('@modelcontextprotocol/server-memory/package.json')), 'dist/index.js')],
}

describe('connections of one server', () => {
  it('are made for each principal where the operator says so, and no principal is taken for everybody', async () => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'a', fixture('asking-server'), {
      words: { isolation: 'principal' },
    })
    await settled(provider)
    const pids = await Promise.all(
      ['ann', 'bob', 'shared', 'ann'].map(async (id) => textOf(await provider.call('pid', {}, callBy(id)))),
    )
    expect(new Set(pids).size).toBe(3)
    expect(pids[3]).toBe(pids[0])
  })

  it.runIf(process.platform === 'linux')('of a session end with it', async () => {
    await using project = await openProject()
    const mcp = project.start()
    const provider = await project.open(mcp, 'a', fixture('asking-server'), { words: { isolation: 'session' } })
    await settled(provider)
    const [one, two] = ['one', 'two'].map((id) => openSession(id, { principal: 'ann' }))
    const pids = await Promise.all(
      [one, two].map(async (of) => Number(textOf(await provider.call('pid', {}, of?.call() ?? callBy())))),
    )
    expect(pids[0]).not.toBe(pids[1])
    one?.end()
    await until(() => !isRunning(pids[0] ?? 0))
    expect(isRunning(pids[1] ?? 0)).toBe(true)
  })

  it('are sixteen at most: an unused one makes room, and where all are used the call is refused unsent', async () => {
    await using project = await openProject()
    const mcp = project.start()
    const server = fixture('asking-server', { LOG_FILE: project.logFile })
    const provider = await project.open(mcp, 'a', server, { words: { isolation: 'principal' } })
    await settled(provider)
    const stop = new AbortController()
    const used = Array.from({ length: 16 }, (_, at) =>
      failureOf(provider.call('slow', { ms: 60_000 }, callBy(`p${at}`, { signal: stop.signal }))),
    )
    const called = async () => (await project.log()).filter((line) => line === 'called slow').length
    await until(async () => (await called()) === 16, 30_000)
    expect((await failureOf(provider.call('pid', {}, callBy('late')))).code).toBe('BUSY')
    expect(mcp.servers()[0]).toMatchObject({ connections: 16 })
    stop.abort()
    await Promise.all(used)
    expect(textOf(await provider.call('pid', {}, callBy('late')))).toMatch(/^\d+$/)
  }, 60_000)

  it('of able sessions are made when one waits too long for its turn', async () => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'a', fixture('asking-server', { LOG_FILE: project.logFile }))
    await settled(provider)
    const [ann, bob] = ['ann', 'bob'].map((id) => openSession(id, { capabilities: able }))
    const stop = new AbortController()
    const slow = failureOf(provider.call('slow', { ms: 60_000 }, ann?.call({ signal: stop.signal }) ?? callBy()))
    await until(async () => (await project.log()).includes('called slow'))
    const begun = performance.now()
    await provider.call('pid', {}, bob?.call() ?? callBy())
    expect(performance.now() - begun).toBeGreaterThan(4_900)
    stop.abort()
    await slow
  }, 20_000)
})

describe('the state of a server', () => {
  it('R-SEC-04 of one principal is not seen by another', async () => {
    await using project = await openProject()
    const mcp = project.start({ variables: { ROLLCALL_STATE_DIR: project.folder } })
    const provider = await project.open(
      mcp,
      'memory',
      { ...memory, env: { MEMORY_FILE_PATH: '${ROLLCALL_STATE_DIR}/memory.jsonl' } },
      { words: { isolation: 'principal' } },
    )
    await settled(provider)
    const entities = [{ name: 'node of ann', entityType: 'x', observations: ['y'] }]
    await provider.call('create_entities', { entities }, callBy('ann'))
    expect(await provider.call('read_graph', {}, callBy('ann'))).toMatchObject({ structured: { entities } })
    expect(await provider.call('read_graph', {}, callBy('bob'))).toMatchObject({ structured: { entities: [] } })
  })
})

describe('a server that is kept alive', () => {
  it('starts with its host as soon as it was accepted, is never idle, and comes back after a loss', async () => {
    await using project = await openProject()
    const server = { ...fixture('asking-server', { LOG_FILE: project.logFile }), keepAlive: true, idleMs: 20 }
    const started = async () => (await project.log()).filter((line) => line === 'started').length
    const first = project.start({ pinning: 'off' })
    await list(await project.open(first, 'a', server))
    expect(await started()).toBe(0)
    await first.sync('a', { accept: true, by: 'ann' })
    await first[Symbol.asyncDispose]()
    const before = await started()

    const mcp = project.start()
    const provider = await project.open(mcp, 'a', server)
    await list(provider)
    await until(() => mcp.servers()[0]?.state === 'ready')
    expect(mcp.servers()[0]).toMatchObject({ connections: 1, protocolVersion: '2025-11-25' })
    await failureOf(provider.call('crash', {}, callBy('ann', { effect: 'write' })))
    await until(() => mcp.servers()[0]?.state === 'ready')
    expect((await started()) - before).toBe(2)
  })

  it('is not started while its launch is not what was accepted', async () => {
    await using project = await openProject()
    const server = { ...fixture('asking-server', { LOG_FILE: project.logFile }), keepAlive: true }
    await settled(await project.open(project.start(), 'a', server))
    const before = (await project.log()).length
    const changed = { ...server, args: [...(server.args ?? []), '--other'] }
    const mcp = project.start()
    expect((await list(await project.open(mcp, 'a', changed))).holds).toMatchObject([{ by: 'launchChanged' }])
    expect(mcp.servers()[0]).toMatchObject({ state: 'idle', connections: 0 })
    expect((await project.log()).slice(before)).toEqual([])
  })
})
