import { readdirSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it } from 'vitest'
import { makeProject, pluginFiles, toolSource } from '../project.ts'

const everything = {
  command: 'node',
  args: ['node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'stdio'],
  dataClass: 'publicContent',
  effect: 'read',
  approval: 'notNeeded',
}
const late = `setTimeout(() => { Promise.reject(new TypeError('too late')) }, 1)`

describe('rollcall start', () => {
  it('calls the roll, serves it to an MCP client, and leaves nothing behind after Ctrl-C', async () => {
    await using project = await makeProject({
      'rollcall.config.json': {
        plugins: ['./plugins/demo'],
        providers: { everything },
        profiles: { cloud: { zone: 'externalGlobal', serve: true } },
        http: { port: 0, keyless: ['cloud'] },
      },
      ...pluginFiles('demo', toolSource.greet, late),
    })
    const running = project.begin('--config', 'rollcall.config.json', 'start')
    const [address = ''] = await running.output(/http:\/\/127\.0\.0\.1:\d+\/mcp/)
    await running.output(/Ctrl-C/)
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(address)))
    const names = () => client.listTools().then(({ tools }) => tools.map(({ name }) => name))
    await expect.poll(names, { timeout: 20_000 }).toContain('everything__echo')
    expect(await client.callTool({ name: 'demo__greet', arguments: { name: 'you' } })).toMatchObject({
      content: [{ type: 'text', text: 'Hello, you!' }],
    })
    const echo = await client.callTool({ name: 'everything__echo', arguments: { message: 'hi' } })
    expect(JSON.stringify(echo.content)).toContain('hi')
    await client.close()
    expect(childrenOf(running.child.pid)).not.toEqual([])
    expect((await stat(join(project.folder, '.rollcall'))).mode & 0o777).toBe(0o700)

    const left = childrenOf(running.child.pid)
    running.child.kill('SIGINT')
    const { code, stdout, stderr } = await running.ended
    expect(code).toBe(130)
    expect(left.filter(isAlive)).toEqual([])
    expect(stdout).toMatch(/demo +announced +active +1/)
    expect(stdout).toMatch(/Try .*rollcall call/)
    expect(stderr).toContain('too late')
  })

  it('refuses a profile for all clients: each has an address of its own', async () => {
    await using project = await makeProject({ 'rollcall.config.json': { http: { port: 0 } } })
    const { code, stderr } = await project.runTrusted('serve', '--profile', 'cloud')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/--stdio[\s\S]*\/mcp\/cloud/) })
  })

  it('serves nobody an unlisted profile', async () => {
    await using project = await makeProject({
      'rollcall.config.json': { plugins: ['./plugins/demo'], http: { port: 0 } },
      ...pluginFiles('demo', toolSource.greet),
    })
    const running = project.begin('--config', 'rollcall.config.json', 'serve')
    const [address = ''] = await running.output(/http:\/\/127\.0\.0\.1:\d+\/mcp/)
    const post = (url: string) => fetch(url, { method: 'POST', body: '{}' }).then(({ status }) => status)
    expect(await post(`${address}/direct`)).toBeGreaterThanOrEqual(400)
    expect(await post(address.replace('/mcp', '/other'))).toBe(404)
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(130)
  })
})

describe('a call that waits for a person', () => {
  it.each(['start', 'serve'])('is told where %s runs, under the id that approvals shows', async (command) => {
    await using project = await makeProject({
      'rollcall.config.json': { plugins: ['./plugins/demo'], http: { port: 0, keyless: ['default'] } },
      ...pluginFiles('demo', toolSource.save),
    })
    expect((await project.runTrusted('enable', 'demo__save')).code).toBe(0)
    const running = project.begin('--config', 'rollcall.config.json', command)
    let told = ''
    running.child.stderr?.on('data', (text: string) => {
      told += text
    })
    const [address = ''] = await running.output(/http:\/\/127\.0\.0\.1:\d+\/mcp/)
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(address)))
    const calling = client.callTool({ name: 'demo__save', arguments: { text: 'milk' } }).catch(() => undefined)
    await expect.poll(() => told, { timeout: 20_000 }).toMatch(/demo__save waits for a person: .+ approve \S+\n/)
    const { stdout } = await project.runTrusted('approvals', '--json')
    expect(told).toContain(` approve ${JSON.parse(stdout).approvals[0].id}\n`)
    await client.close()
    running.child.kill('SIGTERM')
    await running.ended
    await calling
  })
})

describe('rollcall serve --bare', () => {
  it.each([[[]], [['--stdio', '--linger', '0']]])('says so where there is no such provider, %j', async (words) => {
    await using project = await makeProject({ 'rollcall.config.json': { http: { port: 0 } } })
    const { code, stderr } = await project.run(
      '--config',
      'rollcall.config.json',
      'serve',
      '--bare',
      'nobody',
      ...words,
    )
    expect([code, stderr]).toEqual([1, expect.stringContaining('no provider "nobody"')])
  })
})

describe('rollcall serve --stdio', () => {
  it('speaks only the protocol on standard output', async () => {
    await using project = await makeProject({
      'rollcall.config.json': { plugins: ['./plugins/demo'] },
      ...pluginFiles('demo', toolSource.greet, `console.log('noise')`),
    })
    const main = join(import.meta.dirname, '../../src/main.ts')
    const client = new Client({ name: 'test', version: '1.0.0' })
    const faults: Error[] = []
    client.onerror = (error) => faults.push(error)
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [main, '--config', 'rollcall.config.json', 'serve', '--stdio', '--profile', 'default'],
        cwd: project.folder,
        env: { ...project.env },
        stderr: 'ignore',
      }),
    )
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('demo__greet')
    await client.close()
    expect(faults).toEqual([])
  })
})

describe('Ctrl-C during a call', () => {
  it('ends the call and exits 130', async () => {
    await using project = await makeProject({
      'rollcall.config.json': { plugins: ['./plugins/demo'] },
      ...pluginFiles('demo', toolSource.slow),
    })
    const running = project.begin('--config', 'rollcall.config.json', 'call', 'demo__slow', '--json')
    const begun = new Promise((resolve) => running.child.stderr?.on('data', (text) => /SLOW/.test(text) && resolve(0)))
    await begun
    running.child.kill('SIGINT')
    const { code, stdout } = await running.ended
    expect(code).toBe(130)
    expect(JSON.parse(stdout).status).toBe('cancelled')
  })

  it('ends the server that was called, and all that it started', async () => {
    await using project = await makeProject({ 'rollcall.config.json': { providers: { everything } } })
    expect((await project.runTrusted('sync')).code).toBe(0)
    const tool = 'everything__trigger-long-running-operation'
    const running = project.begin('--config', 'rollcall.config.json', 'call', tool, 'duration=60', 'steps=60')
    await expect.poll(() => childrenOf(running.child.pid), { timeout: 20_000 }).not.toEqual([])
    const servers = childrenOf(running.child.pid)
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(130)
    expect(servers.filter(isAlive)).toEqual([])
  })
})

function childrenOf(pid: number | undefined): readonly number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  return all.filter((one) => statOf(one)?.[1] === String(pid))
}

function isAlive(pid: number): boolean {
  const state = statOf(pid)?.[0]
  return state !== undefined && state !== 'Z'
}

/** State and parent of a process; `undefined` when it is gone. */
function statOf(pid: number): readonly string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
  } catch {
    return undefined
  }
}

describe('a plugin that is found by its container alias where that is an error', () => {
  it.each(['start', 'serve', 'serve --stdio'])('is told, and %s does not stay up', async (command) => {
    const provider = `{ getAppId: () => 'old', getTools: () => [], invokeTool: () => 'x' }`
    await using project = await makeProject({
      'rollcall.config.json': { plugins: ['./old'], legacyScan: 'error', http: { port: 0 } },
      'old/package.json': {
        name: 'old',
        version: '1.0.0',
        type: 'module',
        main: './index.js',
        rollcall: { appId: 'old' },
      },
      'old/index.js': `export default { register(services) { services.register('ToolProvider::old', () => (${provider})) } }\n`,
    })
    const { code, stdout, stderr } = await project.runTrusted(...command.split(' '))
    expect(code).toBe(1)
    expect(stdout + stderr).toContain('old is still found by its container alias')
  })
})
