import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { execa } from 'execa'
import type { Target } from './targets.ts'

/** One gateway in one pass. Times in milliseconds, memory in MB. */
export interface Pass {
  readonly firstListMs: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly open16Ms: number
  readonly callsPerSecond: number
  /** Of the gateway's own process, before and after. */
  readonly idleMb: number
  readonly endMb: number
}

/** A gateway that runs. */
export interface RunningGateway extends AsyncDisposable {
  readonly pid: number
  readonly firstListMs: number
  readonly tool: string
  connect(): Promise<Client>
}

const calls = 1_000
const sessions = 16
const callsASession = 60

/** Starts a gateway and waits until it lists the server's tools. */
export async function startGateway(target: Target, port: number, cwd: string): Promise<RunningGateway> {
  const url = new URL(`http://127.0.0.1:${port}/mcp`)
  const begun = performance.now()
  const child = execa(process.execPath, [...target.argv(port)], {
    cwd,
    env: target.env?.(port) ?? {},
    stdio: 'ignore',
    reject: false,
    killDescendants: true,
  })
  const connect = async () => {
    const client = new Client({ name: 'bench', version: '1.0.0' })
    // The two transports declare their session id differently, which only exact optional types mind.
    await client.connect(
      (target.kind === 'http' ? new StreamableHTTPClientTransport(url) : new SSEClientTransport(url)) as never,
    )
    return client
  }
  for (;;) {
    const tool = await findTool(connect)
    if (tool !== undefined) {
      return {
        pid: child.pid ?? 0,
        firstListMs: performance.now() - begun,
        tool,
        connect,
        async [Symbol.asyncDispose]() {
          child.kill('SIGTERM')
          await Promise.race([child, sleep(5_000)])
          child.kill('SIGKILL')
          await child
        },
      }
    }
    if (performance.now() - begun > 60_000) throw new TypeError(`${target.name} lists no tool`)
    await sleep(20)
  }
}

/** Latency, throughput and memory of one gateway. */
export async function measureGateway(target: Target, port: number, cwd: string): Promise<Pass> {
  await using gateway = await startGateway(target, port, cwd)
  const client = await gateway.connect()
  const call = (by: Client) => by.callTool({ name: gateway.tool, arguments: { message: 'hi' } })
  const idleMb = rssOf(gateway.pid)
  for (let warm = 0; warm < 100; warm += 1) await call(client)
  const times: number[] = []
  for (let each = 0; each < calls; each += 1) {
    const begun = performance.now()
    await call(client)
    times.push(performance.now() - begun)
  }
  times.sort((one, other) => one - other)
  const opening = performance.now()
  const clients: Client[] = []
  for (let each = 0; each < sessions; each += 1) clients.push(await gateway.connect())
  const open16Ms = performance.now() - opening
  const running = performance.now()
  await Promise.all(
    clients.map(async (by) => {
      for (let each = 0; each < callsASession; each += 1) await call(by)
    }),
  )
  const seconds = (performance.now() - running) / 1_000
  const endMb = rssOf(gateway.pid)
  for (const each of [client, ...clients]) await Promise.race([each.close(), sleep(500)])
  return {
    firstListMs: gateway.firstListMs,
    p50Ms: times[Math.floor(calls / 2)] ?? Number.NaN,
    p95Ms: times[Math.floor(calls * 0.95)] ?? Number.NaN,
    open16Ms,
    callsPerSecond: (sessions * callsASession) / seconds,
    idleMb,
    endMb,
  }
}

/** Resident memory of one process in MB. */
export function rssOf(pid: number): number {
  const line = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1]) / 1024
}

/** The processes that a process has started. */
export function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => parentOf(each) === pid)
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

async function findTool(connect: () => Promise<Client>): Promise<string | undefined> {
  try {
    const client = await connect()
    const { tools } = await client.listTools()
    await Promise.race([client.close(), sleep(500)])
    return tools.map(({ name }) => name).find((name) => name.endsWith('echo'))
  } catch {
    return undefined
  }
}
