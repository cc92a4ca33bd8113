import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answering, runInProcess } from '../in-process.ts'
import { makeProject, type Project } from '../project.ts'

const server = `import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
const server = new Server({ name: 'small', version: '1.0.0' }, { capabilities: { tools: {} } })
const inputSchema = { type: 'object', properties: {} }
const tools = [
  { name: 'query', description: 'Looks up.', inputSchema, annotations: { readOnlyHint: true } },
  { name: 'delete_all', description: 'Deletes.', inputSchema, annotations: { readOnlyHint: true } },
]
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
server.setRequestHandler(CallToolRequestSchema, () => ({ content: [{ type: 'text', text: 'done' }] }))
await server.connect(new StdioServerTransport())
`
const argv = ['--', 'node', 'server.mjs']

async function configOf(project: Project) {
  return JSON.parse(await readFile(join(project.folder, 'rollcall.config.json'), 'utf8'))
}

describe('rollcall add', () => {
  it('writes configuration and lock file, and accepts what is proposed with --yes', async () => {
    await using project = await makeProject({ 'server.mjs': server })
    const { code, stdout } = await project.run('add', 'small', '--preset', 'docs', '--yes', ...argv)
    expect(code).toBe(0)
    expect(stdout).toMatch(/small__query +read {2}✓ proposed/)
    expect(stdout).toContain('rollcall.lock.json')
    expect((await configOf(project)).providers.small).toEqual({
      command: 'node',
      args: ['server.mjs'],
      preset: 'docs',
      tools: { query: { effect: 'read' } },
    })
    expect(await project.run('call', 'small__query')).toMatchObject({ code: 0, stdout: 'done\n' })
    const lock = await readFile(join(project.folder, 'rollcall.lock.json'), 'utf8')
    expect(lock).not.toContain(project.folder)
  })

  it('saves a server without a preset, holds it and exits 3', async () => {
    await using project = await makeProject({ 'rollcall.config.json': '{}\n', 'server.mjs': server })
    const { code, stderr } = await project.runTrusted('add', 'small', ...argv)
    expect(code).toBe(3)
    expect(stderr).toContain('rollcall preset small <preset>')
    expect((await configOf(project)).providers.small).toEqual({ command: 'node', args: ['server.mjs'] })
    expect((await project.runTrusted('call', 'small__query')).code).toBe(1)
    expect((await project.runTrusted('preset', 'small', 'docs')).code).toBe(0)
  })

  it('takes the word of the person about what only reads', async () => {
    await using project = await makeProject({ 'rollcall.config.json': '{}\n', 'server.mjs': server })
    const run = await runInProcess(
      project,
      ['add', 'small', ...argv],
      answering({ pick: 'docs', tick: ['delete_all'] }),
    )
    expect(run.code).toBe(0)
    expect((await configOf(project)).providers.small.tools).toEqual({ delete_all: { effect: 'read' } })
  })

  it('refuses a taken or impossible name, and an unknown preset', async () => {
    await using project = await makeProject({
      'rollcall.config.json': { providers: { small: { url: 'http://127.0.0.1:9/mcp' } } },
    })
    expect((await project.runTrusted('add', 'small', ...argv)).stderr).toContain('FILE_EXISTS')
    expect((await project.runTrusted('add', 'Small', ...argv)).code).toBe(2)
    expect((await project.runTrusted('add', 'other', '--preset', 'nope', ...argv)).code).toBe(2)
  })

  it('keeps a server that could not be listed, and says so', async () => {
    await using project = await makeProject({ 'rollcall.config.json': '{}\n' })
    const { code, stderr } = await project.runTrusted(
      'add',
      'gone',
      '--preset',
      'docs',
      '--yes',
      '--',
      'no-such-program',
    )
    expect(code).toBe(1)
    expect(stderr.replace(/\s+/g, ' ')).toContain('rollcall sync gone')
    expect((await configOf(project)).providers.gone.command).toBe('no-such-program')
  })
})

describe('rollcall sync', () => {
  it('exits 1 on drift, and 0 once it is accepted', async () => {
    await using project = await makeProject({ 'server.mjs': server })
    await project.run('add', 'small', '--preset', 'docs', '--yes', ...argv)
    expect((await project.run('sync', '--json')).code).toBe(0)
    await project.write({ 'server.mjs': server.replace('Looks up.', 'Looks up, and more.') })
    const drifted = await project.run('sync', 'small', '--json')
    expect(drifted.code).toBe(1)
    expect(JSON.parse(drifted.stdout).servers[0]).toMatchObject({ appId: 'small', status: 'drift' })
    expect((await project.run('sync', '--accept', 'small')).code).toBe(0)
    expect((await project.run('sync')).code).toBe(0)
    expect((await project.run('sync', 'nothing')).code).toBe(1)
  })

  it('shows what is different, and as a check changes nothing', async () => {
    await using project = await makeProject({ 'server.mjs': server })
    await project.run('add', 'small', '--preset', 'docs', '--yes', ...argv)
    const lock = () => readFile(join(project.folder, 'rollcall.lock.json'), 'utf8')
    const before = await lock()
    expect((await project.run('sync', '--check')).code).toBe(0)
    await project.write({
      'server.mjs': server
        .replace('Looks up.', 'Looks up, and\\u200b more.')
        .replace('properties: {}', "properties: { deep: { type: 'boolean' } }, required: ['deep']"),
    })
    const { code, stdout } = await project.run('sync', '--check')
    expect(code).toBe(1)
    expect(stdout).toContain('description is:  "Looks up, and\\u{200B} more."')
    expect(stdout).toContain('parameter deep added, required')
    expect(await lock()).toBe(before)
  })

  it('R-SEC-27 as a check exits 3 on a launch that nobody accepted, and starts nothing', async () => {
    await using project = await makeProject({ 'server.mjs': `${server}\nprocess.stderr.write('started')` })
    await project.run('add', 'small', '--preset', 'docs', '--yes', ...argv)
    const config = await configOf(project)
    config.providers.small.args = [...config.providers.small.args, '--more']
    await project.write({ 'rollcall.config.json': JSON.stringify(config) })
    await project.run('trust')
    const { code, stdout } = await project.run('sync', '--check')
    expect([code, stdout]).toEqual([3, expect.stringContaining('it was not started')])
    expect((await project.run('sync', '--check', '--accept')).code).toBe(2)
  })
})
