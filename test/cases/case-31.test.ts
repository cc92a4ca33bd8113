import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeProject, type Project, type Run } from '../../packages/cli/test/project.ts'
import { words } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('31')
const secret = /S3C-[A-Z]{3}-\d{4}/
/** Those that stand where values are known to be secret: in a variable, a header or before an address. */
const declared = /S3C-(URI|ENV|USR|HDR)-\d{4}/
const commands = [
  ['sync'],
  ['status'],
  ['plugins'],
  ['tools'],
  ['tools', '--off'],
  ['listeners'],
  ['report'],
  ['why', 'ok__ok'],
  ['call', 'ok__ok'],
  ['presets'],
  ['approvals'],
  ['config'],
]
/** Those that need nothing but the store: once is enough. */
const ofTheStore = [['input'], ['audit'], ['audit', 'export'], ['audit', 'sinks'], ['keys', 'list'], ['db', 'status']]

/** The servers of the case, as they stand in a configuration of ours, in which an address has no user name. */
async function providersOf(caseFolder: string): Promise<Record<string, Record<string, unknown>>> {
  const { mcpServers } = JSON.parse(await readFile(join(caseFolder, 'config.json'), 'utf8'))
  const { ok, dies, web } = mcpServers
  const args = [join(caseFolder, 'server.mjs'), ok.args[1]]
  const url = web.url.replace(/\/\/[^@]*@/, '//')
  return {
    ok: { ...ok, args, ...words },
    dies: { ...dies, args, ...words },
    web: { url, headers: web.headers, ...words },
  }
}

describe.skipIf(folder === undefined)('six secrets of a configuration', () => {
  let project: Project
  const runs = new Map<string, Run>()
  beforeAll(async () => {
    project = await makeProject({
      'rollcall.config.json': { providers: await providersOf(folder ?? ''), http: { port: 0 } },
    })
    for (const command of commands) {
      for (const more of [['-vv'], ['-vv', '--json']]) {
        runs.set([...command, ...more].join(' '), await project.runTrusted(...more, ...command))
      }
    }
    for (const command of ofTheStore)
      runs.set([...command, '-vv'].join(' '), await project.runTrusted('-vv', ...command))
  }, 180_000)
  afterAll(() => project[Symbol.asyncDispose]())
  const shown = () => [...runs].map(([command, { stdout, stderr }]) => ({ command, text: stdout + stderr }))

  it('are in no output of a command that reads, in text or as JSON', () => {
    const others = shown().filter(({ command }) => !/^(sync|config) /.test(command))
    expect(others.filter(({ text }) => secret.test(text))).toEqual([])
    expect(shown().filter(({ text }) => declared.test(text) || text === '')).toEqual([])
    expect(runs.get('call ok__ok -vv')).toMatchObject({ code: 0, stdout: 'ok\n' })
  })

  it.each(['sync', 'config'])('are in no output of %s either where they are arguments or in an address', (name) => {
    const own = shown().filter(({ command }) => command.startsWith(`${name} `))
    expect(own.filter(({ text }) => secret.test(text))).toEqual([])
  })

  it('are in no file but the configuration', async () => {
    const files: string[] = []
    for await (const name of glob('{*,.rollcall/**/*}', { cwd: project.folder, exclude: ['node_modules'] })) {
      const text = await readFile(join(project.folder, name), 'latin1').catch(() => '')
      if (secret.test(text)) files.push(name)
    }
    expect(files).toEqual(['rollcall.config.json'])
  })

  it('are not in what a client of the endpoint is told', async () => {
    const running = project.begin('--config', 'rollcall.config.json', '-vv', 'serve')
    const [address] = await running.output(/http:\/\/127\.0\.0\.1:\d+\/mcp/)
    const client = new Client({ name: 'case', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(address)))
    const { tools } = await client.listTools()
    const calls = tools.filter(({ name }) => /^ok__|status/.test(name)).map(({ name }) => client.callTool({ name }))
    const told = JSON.stringify([tools, client.getInstructions(), await Promise.all(calls)])
    await client.close()
    running.child.kill('SIGTERM')
    const { stdout, stderr } = await running.ended
    expect(calls.length).toBeGreaterThan(0)
    expect(told + stdout + stderr).not.toMatch(secret)
  })

  it('leave their names and the place behind, so that a person can understand it', () => {
    const config = runs.get('config -vv')?.stdout
    for (const name of ['DATABASE_URI', 'DIFY', 'X-Custom', '127.0.0.1:9']) expect(config).toContain(name)
    const sync = runs.get('sync -vv')
    expect(`${sync?.stdout}${sync?.stderr}`).toMatch(/cannot connect to/)
    expect(`${sync?.stdout}${sync?.stderr}`).toMatch(/127\.0\.0\.1:9/)
  })

  it('are not in the refusal of an address with a user name', async () => {
    const { mcpServers } = JSON.parse(await readFile(join(folder ?? '', 'config.json'), 'utf8'))
    const { url, headers } = mcpServers.web
    await using refused = await makeProject({
      'rollcall.config.json': { providers: { web: { url, headers, ...words } } },
    })
    const { code, stdout, stderr } = await refused.runTrusted('-vv', 'plugins')
    expect(code).not.toBe(0)
    expect(stderr).toContain('providers.web.url')
    expect(stdout + stderr).not.toMatch(secret)
  })
})
