import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it } from 'vitest'
import { makeProject, type Project, pluginFiles, toolSource } from '../../packages/cli/test/project.ts'
import { root } from '../list-files.ts'
import { isRunning, runningIn } from './processes.ts'
import { main } from './scratch.ts'

/** `rollcall start` as the leader of a process group, as a terminal starts it. Disposing kills what is left. */
interface Started extends AsyncDisposable {
  readonly group: number
  readonly port: number
  readonly exited: Promise<number | NodeJS.Signals | null>
  /** Both outputs. */
  output(): string
  /** What the servers wrote down. */
  log(): Promise<readonly string[]>
}

const deadline = { timeout: 20_000, interval: 20 }
const moments = [
  { moment: 'right after its start', reach: async () => {}, initMs: 0 },
  { moment: 'as soon as it says something', reach: speaking, initMs: 0 },
  { moment: 'while it lists servers for the first time', reach: pinning, initMs: 60_000 },
  { moment: 'when it is ready', reach: ready, initMs: 0 },
  { moment: 'during a call', reach: calling, initMs: 0 },
]

describe.runIf(process.platform === 'linux')('Ctrl-C', () => {
  it.each(moments)('$moment leaves no process and no open port', async ({ reach, initMs }) => {
    await using project = await makeProjectWith(initMs)
    await using started = start(project)
    await reach(started)
    process.kill(-started.group, 'SIGINT')
    expect([130, 'SIGINT']).toContain(await started.exited)
    await expectNothing(started)
  })

  it('twice ends at once, and leaves nothing either', async () => {
    await using project = await makeProjectWith(0)
    await using started = start(project)
    await calling(started)
    process.kill(-started.group, 'SIGINT')
    await expect.poll(started.output, deadline).toContain('stopping')
    process.kill(-started.group, 'SIGINT')
    expect(await started.exited).toBe(130)
    await expectNothing(started)
  })
})

async function makeProjectWith(initMs: number): Promise<Project & { readonly port: number }> {
  const port = await freePort()
  const deaf = {
    command: 'node',
    args: [join(root, 'test/fixtures/deaf-server.mjs')],
    env: { LOG_FILE: '${ROLLCALL_CONFIG_DIR}/log.txt', INIT_MS: String(initMs) },
    dataClass: 'publicContent',
    effect: 'read',
    approval: 'notNeeded',
  }
  const project = await makeProject({
    'rollcall.config.json': { plugins: ['./plugins/demo'], providers: { deaf, deafer: deaf }, http: { port } },
    ...pluginFiles('demo', toolSource.greet),
  })
  return { ...project, port }
}

function start({ folder, env, port }: Project & { readonly port: number }): Started {
  const args = [main, '--config', 'rollcall.config.json', 'start']
  const child = spawn(process.execPath, args, { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const group = child.pid ?? expect.fail('it did not start')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const log = async () => (await readFile(join(folder, 'log.txt'), 'utf8').catch(() => '')).split('\n')
  return {
    group,
    port,
    exited: new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal))),
    output: () => output,
    log,
    async [Symbol.asyncDispose]() {
      const left = [...runningIn(group), ...pidsIn(await log()).filter(isRunning)]
      for (const pid of left) process.kill(pid, 'SIGKILL')
    },
  }
}

async function speaking({ output }: Started): Promise<void> {
  await expect.poll(output, deadline).not.toBe('')
}

async function pinning({ log }: Started): Promise<void> {
  await expect.poll(async () => pidsIn(await log()).length, deadline).toBe(4)
}

async function ready({ output }: Started): Promise<void> {
  await expect.poll(output, deadline).toContain('Ctrl-C')
}

async function calling(started: Started): Promise<void> {
  await ready(started)
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${started.port}/mcp`)))
  const names = async () => (await client.listTools()).tools.map(({ name }) => name)
  await expect.poll(names, deadline).toContain('deaf__wait')
  // Its end is the end of the server.
  client.callTool({ name: 'deaf__wait' }).then(
    () => client.close(),
    () => client.close(),
  )
  await expect.poll(started.log, deadline).toContain('called')
}

async function expectNothing({ group, port, log }: Started): Promise<void> {
  const pids = pidsIn(await log())
  await expect.poll(() => [...pids.filter(isRunning), ...runningIn(group)], { timeout: 4_000 }).toEqual([])
  expect(await freePort(port)).toBe(port)
}

function pidsIn(log: readonly string[]): readonly number[] {
  return log.flatMap((line) => (line.startsWith('pid ') ? [Number(line.slice(4))] : []))
}

/** A port that nobody listens on; rejects when the given one is taken. */
async function freePort(port = 0): Promise<number> {
  const server = createServer()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen(port, '127.0.0.1', () => resolve())
  await promise
  const address = server.address()
  await new Promise((closed) => server.close(closed))
  return typeof address === 'object' && address !== null ? address.port : expect.fail('no port')
}
