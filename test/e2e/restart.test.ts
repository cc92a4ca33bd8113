import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeProject, type Project, pluginFiles, toolSource } from '../../packages/cli/test/project.ts'
import { root } from '../list-files.ts'
import { isRunning } from './processes.ts'

const allowed = { dataClass: 'publicContent', effect: 'read', approval: 'notNeeded' }
const everything = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')
const pidFile = join(root, 'test/e2e/write-pid.mjs')
const deadline = { timeout: 20_000, interval: 50 }

let project: Project
let port: number
let clients: Client[]
beforeEach(async () => {
  port = await freePort()
  clients = []
  project = await makeProject({
    'rollcall.config.json': {
      plugins: ['./plugins/demo'],
      providers: {
        everything: {
          command: 'node',
          args: ['--import', pidFile, everything, 'stdio'],
          env: { PID_FILE: '${ROLLCALL_CONFIG_DIR}/pids.txt' },
          ...allowed,
        },
      },
      http: { port },
    },
    ...pluginFiles('demo', toolSource.greet),
  })
})
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await project[Symbol.asyncDispose]()
})

describe('a client of a host that is restarted on the same port', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'is told by 404 that its session is gone (%s), and finds the same tools in a new one at once',
    async (signal) => {
      const first = await serve()
      const client = await connect()
      await expect.poll(async () => (await namesIn(client)).join(), deadline).toContain('everything__echo')
      const before = await namesIn(client)
      first.child.kill(signal)
      await first.ended

      const second = await serve()
      await expect(client.callTool({ name: 'demo__greet', arguments: { name: 'you' } })).rejects.toMatchObject({
        code: 404,
      })
      // What a client has to do is written in the protocol: a 404 to a session means to begin another.
      const again = await connect()
      expect(await namesIn(again)).toEqual(before)
      expect(await again.callTool({ name: 'everything__echo', arguments: { message: 'hi' } })).toMatchObject({
        content: [{ text: 'Echo: hi' }],
      })
      second.child.kill('SIGTERM')
      expect((await second.ended).code).toBe(130)
    },
    60_000,
  )
})

describe('a server that is killed while eight sessions call it', () => {
  it('leaves no request hanging, and answers all of them a moment later', async () => {
    const running = await serve()
    const sessions = await Promise.all(Array.from({ length: 8 }, connect))
    const listed = async () =>
      (await Promise.all(sessions.map(namesIn))).every((names) => names.includes('everything__echo'))
    await expect.poll(listed, deadline).toBe(true)
    const echo = (client: Client) => client.callTool({ name: 'everything__echo', arguments: { message: 'hi' } })
    const long = (client: Client) =>
      client.callTool({ name: 'everything__trigger-long-running-operation', arguments: { duration: 3, steps: 3 } })
    await Promise.all(sessions.map(echo))
    const pids = await serverPids()
    expect(pids.length).toBeGreaterThan(0)

    // Some calls are in the middle of their work, others come in all the time.
    const inFlight = sessions.map((client) => endOf(long(client)))
    const over = new AbortController()
    const steady = sessions.map(async (client) => {
      const ends: string[] = []
      while (!over.signal.aborted) ends.push(await endOf(echo(client)))
      return ends
    })
    const killedAt = performance.now()
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    const ends = await Promise.all(inFlight)
    expect(performance.now() - killedAt).toBeLessThan(15_000)
    await expect
      .poll(async () => (await Promise.all(sessions.map((each) => endOf(echo(each))))).join(), deadline)
      .toBe(sessions.map(() => 'fine').join())
    over.abort()
    ends.push(...(await Promise.all(steady)).flat())
    expect(ends.filter((end) => !['fine', 'failed'].includes(end))).toEqual([])
    expect((await serverPids()).filter((pid) => !pids.includes(pid)).length).toBeGreaterThan(0)
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(130)
  }, 90_000)
})

it('another process tells the state while a host serves', async () => {
  const running = await serve()
  const client = await connect()
  await expect.poll(async () => (await namesIn(client)).join(), deadline).toContain('everything__echo')
  const { code, stdout, stderr } = await project.runTrusted('status', '--json')
  expect(code, stderr).toBe(0)
  // More than this client sees: some need what it can not do.
  expect(JSON.parse(stdout).tools.ready).toBeGreaterThanOrEqual((await namesIn(client)).length)
  expect(JSON.parse(stdout)).toMatchObject({ approvals: 0, tools: { held: 0 } })
  expect(await client.callTool({ name: 'demo__greet', arguments: { name: 'you' } })).toMatchObject({
    content: [{ text: 'Hello, you!' }],
  })
  running.child.kill('SIGTERM')
  await running.ended
})

async function serve() {
  const running = project.begin('--config', 'rollcall.config.json', 'serve')
  await running.output(/http:\/\/127\.0\.0\.1:\d+\/mcp/)
  return running
}

async function connect(): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  clients.push(client)
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)))
  return client
}

async function namesIn(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name)
}

/** How a call ends; `hung` when it doesn't. */
function endOf(call: Promise<object>): Promise<string> {
  const { promise: hung, resolve } = Promise.withResolvers<string>()
  const timer = setTimeout(() => resolve('hung'), 25_000)
  const end = call.then(
    (result) => ('isError' in result && result.isError === true ? 'failed' : 'fine'),
    (error: unknown) => String(error),
  )
  return Promise.race([end, hung]).finally(() => clearTimeout(timer))
}

/** The processes of the server that run. */
async function serverPids(): Promise<readonly number[]> {
  const pids = (await readFile(join(project.folder, 'pids.txt'), 'utf8')).trim().split('\n')
  return pids.map(Number).filter(isRunning)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : expect.fail('no port')
}
