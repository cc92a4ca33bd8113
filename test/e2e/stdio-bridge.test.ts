import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeProject, type Project, pluginFiles } from '../../packages/cli/test/project.ts'
import { isRunning } from './processes.ts'
import { main } from './scratch.ts'

const whoami = `defineTool({ name: 'whoami', description: 'Names its process.', effect: 'read', dataClass: 'publicContent', execute: () => String(process.pid) })`
const config = { plugins: ['./plugins/demo'] }

let project: Project
let clients: Client[]
beforeEach(async () => {
  clients = []
  project = await makeProject({ 'rollcall.config.json': config, ...pluginFiles('demo', whoami) })
})
afterEach(async () => {
  for (const client of clients) await client.close()
  await project[Symbol.asyncDispose]()
})

async function connect(...words: readonly string[]) {
  const client = new Client({ name: 'test', version: '1.0.0' })
  clients.push(client)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, '--config', 'rollcall.config.json', 'serve', '--stdio', '--linger', '1', ...words],
    cwd: project.folder,
    env: { ...project.env },
    stderr: 'pipe',
  })
  await client.connect(transport)
  return client
}

async function hostPid(client: Client): Promise<number> {
  const { content } = await client.callTool({ name: 'demo__whoami', arguments: {} })
  return Number((content as [{ text: string }])[0].text)
}

const gone = (pid: number) => expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false)

describe('clients over standard input and output', () => {
  it('share one host, which ends when the last one has left', async () => {
    const three = await Promise.all([connect(), connect(), connect()])
    const pids = await Promise.all(three.map(hostPid))
    expect(new Set(pids).size).toBe(1)
    const state = join(project.folder, '.rollcall')
    const socket = (await readdir(state)).find((name) => name.endsWith('.sock')) ?? ''
    expect((await stat(join(state, socket))).mode & 0o777).toBe(0o600)
    const [first, second, third] = three
    await first?.close()
    await second?.close()
    expect(third && (await hostPid(third))).toBe(pids[0])
    await third?.close()
    await gone(pids[0] ?? 0)
    expect(await readdir(state)).not.toContain(socket)
  })

  it('go on without doing anything when the host is killed', async () => {
    const client = await connect()
    let changes = 0
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes += 1
    })
    const before = await hostPid(client)
    process.kill(before, 'SIGKILL')
    await gone(before)
    // A call that was on its way to the old one just then is told that its end is not known.
    const after = await hostPid(client).catch(() => hostPid(client))
    expect(after).not.toBe(before)
    await expect.poll(() => changes).toBe(1)
    await client.close()
    await gone(after)
  })

  it('get a host of the new configuration when it was edited, while those of the old one stay', async () => {
    const one = await connect()
    const old = await hostPid(one)
    await writeFile(join(project.folder, 'rollcall.config.json'), JSON.stringify({ ...config, pluginTimeoutMs: 4000 }))
    const other = await connect()
    const fresh = await hostPid(other)
    expect(fresh).not.toBe(old)
    expect(await hostPid(one)).toBe(old)
    await one.close()
    await gone(old)
    await other.close()
    await gone(fresh)
  })

  it('use the host of `rollcall serve` where one runs', async () => {
    await project.write({ 'rollcall.config.json': { ...config, http: { port: 0 } } })
    const serving = project.begin('--config', 'rollcall.config.json', 'serve')
    await serving.output(/http:/)
    expect(await hostPid(await connect())).toBe(serving.child.pid)
  })

  it('are told why they are not served', async () => {
    const { code, stdout, stderr } = await project.runTrusted('serve', '--stdio', '--linger', '0', '--profile', 'none')
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('There is no profile "none"')
    const wrong = await project.runTrusted('serve', '--stdio', '--linger', 'soon')
    expect(wrong.stderr).toContain('--linger takes seconds')
  })

  it('find a host though a killed one left its socket, and its log says nothing secret', async () => {
    const client = await connect()
    const pid = await hostPid(client)
    await client.close()
    process.kill(pid, 'SIGKILL')
    await gone(pid)
    const again = await connect()
    const next = await hostPid(again)
    expect(next).not.toBe(pid)
    await again.close()
    await gone(next)
    expect(await readFile(join(project.folder, '.rollcall/host.log'), 'utf8')).not.toContain(project.env.HOME)
    await rm(join(project.folder, '.rollcall'), { recursive: true, force: true })
  })
})
