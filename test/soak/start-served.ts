import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { makeProject } from '../../packages/cli/test/project.ts'
import { root } from '../list-files.ts'
import { processesMarked } from './sample-process.ts'
import { startWebServer, type WebServer } from './web-server.ts'

/** Milliseconds a request may take: for its turn, for the start of its server and for the call itself. */
export const limits = { turnMs: 5_000, connectMs: 10_000, callMs: 8_000 } as const
/** Milliseconds after which a server that nobody uses is stopped. */
export const idleMs = 3_000

/** `rollcall serve` in front of five servers. */
export interface Served extends AsyncDisposable {
  readonly pid: number
  readonly url: URL
  readonly port: number
  readonly web: WebServer
  /** Everything that it has begun and that runs still. */
  left(): readonly number[]
  /** Asks it to end. @returns milliseconds until it had; undefined when it had to be killed. */
  stop(): Promise<number | undefined>
}

const words = { dataClass: 'publicContent', effect: 'read', approval: 'notNeeded' }
const installed = join(root, 'node_modules/@modelcontextprotocol')
const stopLimitMs = 10_000

/** Starts it in a folder of its own and on a free port. */
export async function startServed(): Promise<Served> {
  const mark = `soak-${process.pid}-${Date.now()}`
  await using stack = new AsyncDisposableStack()
  const project = stack.use(await makeProject({ 'files/one.txt': 'one\n', 'files/two.txt': 'two\n' }))
  const env = { SOAK_MARK: mark }
  const web = stack.use(await startWebServer({ ...project.env, ...env }))
  const common = { ...words, idleMs, connectTimeoutMs: limits.connectMs, callTimeoutMs: limits.callMs }
  const node = (args: readonly string[], more: Readonly<Record<string, string>> = {}) => ({
    command: 'node',
    args,
    env: { ...env, ...more },
    ...common,
  })
  await project.write({
    'rollcall.config.json': {
      http: { port: 0 },
      providers: {
        everything: node([join(installed, 'server-everything/dist/index.js'), 'stdio']),
        memory: node([join(installed, 'server-memory/dist/index.js')], {
          MEMORY_FILE_PATH: join(project.folder, 'memory.json'),
        }),
        files: node([join(installed, 'server-filesystem/dist/index.js'), join(project.folder, 'files')]),
        shaky: node([join(root, 'test/soak/shaky-server.mjs')]),
        web: { url: web.url, ...common },
      },
    },
  })
  const { child, ended, output } = project.begin('--config', 'rollcall.config.json', 'serve')
  const [address] = await output(/http:\/\/127\.0\.0\.1:\d+\/mcp/)
  const url = new URL(address)
  await untilListed(url)
  const owned = stack.move()
  return {
    pid: child.pid ?? 0,
    url,
    port: Number(url.port),
    web,
    left: () => processesMarked(mark),
    async stop() {
      const begun = performance.now()
      child.kill('SIGTERM')
      const late = Symbol('late')
      const limit = Promise.withResolvers<typeof late>()
      const timer = setTimeout(() => limit.resolve(late), stopLimitMs)
      const first = await Promise.race([ended, limit.promise])
      clearTimeout(timer)
      if (first !== late) return performance.now() - begun
      child.kill('SIGKILL')
      await ended
      return undefined
    },
    async [Symbol.asyncDispose]() {
      await owned.disposeAsync()
      for (const pid of processesMarked(mark)) process.kill(pid, 'SIGKILL')
    },
  }
}

/** Waits until every server was listed for the first time. */
async function untilListed(url: URL): Promise<void> {
  const client = new Client({ name: 'soak', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(url)
  // The transport declares its session id differently, which only exact optional types mind.
  await client.connect(transport as never)
  const limit = performance.now() + 60_000
  const listed = async () => new Set((await client.listTools()).tools.map(({ name }) => name.split('__')[0]))
  for (let apps = await listed(); apps.size < 5; apps = await listed()) {
    if (performance.now() > limit) throw new TypeError(`Only these were listed: ${[...apps].join(', ')}`)
    await sleep(100)
  }
  await transport.terminateSession()
  await client.close()
}
