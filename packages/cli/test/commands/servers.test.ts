import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeProject, pluginFiles, toolSource } from '../project.ts'

const server = `import { createInterface } from 'node:readline'
const tool = { name: 'look', inputSchema: { type: 'object' } }
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const result = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
    'tools/list': { tools: [tool] },
  }[method]
  if (result !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
})`

describe('rollcall remove', () => {
  it('takes a server out of the lock file too, and leaves code to a person', async () => {
    const providers = { one: { command: 'node', args: ['s.mjs'] }, two: { command: 'node', args: ['s.mjs'] } }
    await using project = await makeProject({ 'rollcall.config.json': { providers }, 's.mjs': server })
    expect((await project.runTrusted('sync')).code).toBe(0)
    const pinned = async () =>
      Object.keys(JSON.parse(await readFile(join(project.folder, 'rollcall.lock.json'), 'utf8')).servers)
    expect(await pinned()).toEqual(['one', 'two'])
    const removed = await project.runTrusted('remove', 'one', '--json')
    expect(JSON.parse(removed.stdout)).toEqual({
      id: 'one',
      wasPinned: true,
      written: ['rollcall.config.json', 'rollcall.lock.json'],
    })
    expect(await pinned()).toEqual(['two'])

    await project.write({ 'code.config.mjs': `export default ${JSON.stringify({ providers })}` })
    const code = await project.run('--config', 'code.config.mjs', 'remove', 'two', '--json')
    expect([code.code, JSON.parse(code.stdout).written]).toEqual([3, []])
    expect(await pinned()).toEqual(['two'])
  })
})

describe('rollcall preset', () => {
  it('writes no word about somebody who is not there, but about whoever announces itself', async () => {
    await using project = await makeProject({
      'rollcall.config.json': { plugins: ['./plugins/demo'] },
      ...pluginFiles('demo', toolSource.greet),
    })
    const unknown = await project.runTrusted('preset', 'dmeo', 'docs', '--json')
    expect([unknown.code, JSON.parse(unknown.stdout).error.code]).toEqual([1, 'PROVIDER_UNKNOWN'])
    expect((await project.runTrusted('preset', 'demo', 'docs')).code).toBe(0)
    const config = JSON.parse(await readFile(join(project.folder, 'rollcall.config.json'), 'utf8'))
    expect(config.providers).toEqual({ demo: { preset: 'docs' } })
  })
})

describe('a configuration that somebody else changes', () => {
  it('R-SEC-07 is not trusted because a command of ours changes it too', async () => {
    await using project = await makeProject({
      'rollcall.config.json': { providers: { one: { url: 'http://127.0.0.1:9/' } } },
    })
    expect((await project.run('trust')).code).toBe(0)
    await writeFile(join(project.folder, 'rollcall.config.json'), '{ "providers": { "one": { "command": "evil" } } }')
    const run = await project.run('preset', 'one', 'docs', '--json')
    expect([run.code, JSON.parse(run.stdout).error.code]).toEqual([2, 'CONFIG_UNTRUSTED'])
    expect((await project.run('tools')).code).toBe(2)
  })
})

describe('rollcall serve --stdio', () => {
  it('answers a script that pipes its requests and closes its end, and then ends', async () => {
    await using project = await makeProject({
      'rollcall.config.json': { plugins: ['./plugins/demo'] },
      ...pluginFiles('demo', toolSource.greet),
    })
    const { child, ended } = project.begin('--config', 'rollcall.config.json', 'serve', '--stdio')
    const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'script', version: '1' } }
    const requests = [
      { id: 1, method: 'initialize', params: client },
      { id: 2, method: 'tools/list', params: {} },
      { id: 3, method: 'tools/call', params: { name: 'demo__greet', arguments: { name: 'you' } } },
    ]
    child.stdin?.end(requests.map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`).join(''))
    const { code, stdout } = await ended
    expect(code).toBe(0)
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(answers.map(({ id }) => id)).toEqual([1, 2, 3])
    expect(answers[2].result.content).toEqual([{ type: 'text', text: 'Hello, you!' }])
  })
})
