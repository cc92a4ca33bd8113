import { access, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { makeProject, pluginFiles, toolSource } from './project.ts'

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

describe('a configuration with faults', () => {
  it('tells all of them at once, each with its path, and exits 2', async () => {
    await using project = await makeProject({
      'rollcall.config.json': {
        plugns: [],
        providers: { memory: { command: 'node', dataClas: 'publicContent' }, Docs: { url: 'https://docs.test' } },
        profiles: { default: { zone: 'global' } },
        http: { port: 'many' },
      },
    })
    const { code, stdout } = await project.runTrusted('start', '--json')
    expect(code).toBe(2)
    const { error } = JSON.parse(stdout)
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', hint: expect.any(String) })
    expect(error.faults.map(({ path }: { path: string }) => path)).toEqual([
      'plugns',
      'providers.memory.dataClas',
      expect.stringContaining('Docs'),
      'http.port',
      'profiles.default.zone',
    ])
    const text = await project.runTrusted('start')
    expect(text.code).toBe(2)
    expect(text.stderr).toContain('did you mean "dataClass"?')
    expect(text.stderr).toContain('CONFIG_INVALID · nothing was started')
  })

  it('R-SEC-07 runs nothing of a project that nobody trusts', async () => {
    const canary = (text: string) => `import { writeFileSync } from 'node:fs'\nwriteFileSync('canary', '${text}')`
    await using project = await makeProject({
      'rollcall.config.json': { plugins: ['./plugins/demo'] },
      ...pluginFiles('demo', toolSource.greet, canary('1')),
    })
    const file = join(project.folder, 'canary')
    const refused = await project.run('tools', '--json')
    expect([refused.code, JSON.parse(refused.stdout).error.code]).toEqual([2, 'CONFIG_UNTRUSTED'])
    expect(await exists(file)).toBe(false)
    expect((await project.run('config')).code).toBe(0)
    expect(await exists(file)).toBe(false)
    expect((await project.run('trust', '.')).code).toBe(0)
    expect((await project.run('tools')).code).toBe(0)
    expect(await exists(file)).toBe(true)
    await writeFile(join(project.folder, 'rollcall.config.json'), '{ "plugins": ["./plugins/demo"] }')
    expect((await project.run('tools')).code).toBe(2)
    expect((await project.runTrusted('tools')).code).toBe(0)
  })

  it('stays trusted when a command of ours changes it', async () => {
    await using project = await makeProject({
      'rollcall.config.json': { providers: { docs: { url: 'http://127.0.0.1:9/mcp' } } },
    })
    await project.run('trust')
    expect((await project.run('preset', 'docs', 'docs')).code).toBe(0)
    expect((await project.run('plugins')).code).toBe(0)
    expect((await project.run('remove', 'docs')).code).toBe(0)
    expect((await project.run('remove', 'docs', '--json')).code).toBe(1)
  })
})

describe('what can be missing', () => {
  it('costs its own tools only: a server whose program is not there', async () => {
    await using project = await makeProject({
      'rollcall.config.json': {
        plugins: ['./plugins/demo'],
        providers: { gone: { command: 'no-such-program-here', preset: 'docs' } },
      },
      ...pluginFiles('demo', toolSource.greet),
    })
    const synced = await project.runTrusted('sync', '--json')
    expect(synced.code).toBe(1)
    expect(JSON.parse(synced.stdout).servers[0]).toMatchObject({ appId: 'gone', status: 'failed' })
    expect((await project.runTrusted('call', 'demo__greet', 'name=you')).code).toBe(0)
  })

  it('costs its own tools only: a plugin with a broken manifest', async () => {
    await using project = await makeProject({
      'rollcall.config.json': { plugins: ['./plugins/broken', './plugins/demo'] },
      ...pluginFiles('demo', toolSource.greet),
      ...pluginFiles('broken', toolSource.greet),
      'plugins/broken/package.json': '{ "name": "broken", "rollcall": { "appId": ',
    })
    const { code, stdout } = await project.runTrusted('plugins', '--json')
    expect(code).toBe(0)
    const { providers, findings } = JSON.parse(stdout)
    expect(findings).toContainEqual(expect.objectContaining({ code: 'PLUGIN_INVALID', severity: 'error' }))
    expect(providers).toContainEqual(expect.objectContaining({ appId: 'demo', state: 'active', tools: 1 }))
  })

  it('is the port: told before anything starts', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const address = taken.address()
    const port = typeof address === 'object' ? address?.port : undefined
    try {
      const before = `import { writeFileSync } from 'node:fs'\nwriteFileSync('canary', '')`
      await using project = await makeProject({
        'rollcall.config.json': { plugins: ['./plugins/demo'], http: { port } },
        ...pluginFiles('demo', toolSource.greet, before),
      })
      const { code, stderr } = await project.runTrusted('start')
      expect(code).toBe(2)
      expect(stderr).toContain('PORT_IN_USE')
      expect(stderr).toContain('http.port')
      expect(await exists(join(project.folder, 'canary'))).toBe(false)
    } finally {
      taken.close()
    }
  })

  it('is a lock file that can be read: one of another version is told', async () => {
    await using project = await makeProject({
      'rollcall.config.json': { providers: { docs: { url: 'http://127.0.0.1:9/mcp', preset: 'docs' } } },
      'rollcall.lock.json': { version: 99, servers: {} },
    })
    const { stdout, stderr } = await project.runTrusted('plugins', '--json')
    expect(stdout + stderr).toContain('LOCK_INVALID')
  })
})

describe('a command line', () => {
  it('that is not understood exits 2 and says what there is', async () => {
    await using project = await makeProject({})
    const { code, stdout } = await project.run('tolls', '--json')
    expect([code, JSON.parse(stdout).error.code]).toEqual([2, 'USAGE'])
    expect((await project.run('why')).code).toBe(2)
    expect((await project.run('--help')).code).toBe(0)
    expect((await project.run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

it.each([
  ['http.host', { host: '0.0.0.0' }],
  ['http.publicUrl', { publicUrl: 'https://tools.test' }],
])('starts nothing at an address where nobody could be let in: %s', async (key, http) => {
  await using project = await makeProject({ 'rollcall.config.json': { http: { port: 0, ...http } } })
  const { code, stdout } = await project.runTrusted('serve', '--json')
  const { error } = JSON.parse(stdout)
  expect([code, error.code]).toEqual([2, 'SERVE_REFUSED'])
  expect(error.hint).toContain(key)
})

it('says which Node it needs where an older one runs it', async () => {
  const older = `data:text/javascript,${encodeURIComponent("Object.defineProperty(process, 'versions', { value: { node: '20.11.1' } })")}`
  const main = join(import.meta.dirname, '../src/main.ts')
  const { exitCode, stdout } = await execa(process.execPath, ['--import', older, main, 'tools', '--json'], {
    reject: false,
  })
  expect([exitCode, JSON.parse(stdout).error.code]).toEqual([2, 'NODE_UNSUPPORTED'])
})
