import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeProject } from '../project.ts'

describe('rollcall new plugin', () => {
  it('makes a plugin whose tool can be called at once', async () => {
    await using project = await makeProject({})
    const { code, stdout } = await project.run('new', 'plugin', 'weather', '--json')
    expect(code).toBe(0)
    const { folder, files, next } = JSON.parse(stdout)
    expect(folder).toBe(join(project.folder, 'weather'))
    expect(files).toContain('src/plugin.ts')
    expect(next).toEqual(['cd weather', expect.stringContaining('call weather__hello name=you')])
    expect(await project.runIn('weather', 'call', 'weather__hello', 'name=you')).toMatchObject({
      code: 0,
      stdout: 'Hello, you!\n',
    })
  })

  it('depends on the packages of the repository it runs from, and says how to start that command there', async () => {
    await using project = await makeProject({})
    await rm(join(project.folder, 'node_modules'))
    const repository = join(import.meta.dirname, '../../../..')
    const { next } = JSON.parse((await project.run('new', 'plugin', 'dice', '--json')).stdout)
    const manifest = JSON.parse(await readFile(join(project.folder, 'dice/package.json'), 'utf8'))
    expect([manifest.dependencies, manifest.devDependencies]).toEqual([
      { '@rollcall/plugin': `file:${repository}/packages/plugin` },
      { '@rollcall/host': `file:${repository}/packages/host` },
    ])
    const command = join(repository, 'node_modules/.bin/rollcall')
    expect(next).toEqual(['cd dice', 'npm install', `${command} call dice__hello name=you`])
  })

  it('says where to add it when a configuration is around', async () => {
    await using project = await makeProject({ 'rollcall.config.json': '{}\n' })
    const { stdout } = await project.run('new', 'plugin', 'weather', '--dir', 'plugins/weather')
    expect(stdout).toContain('To offer it here: add "./plugins/weather" to "plugins" in rollcall.config.json.')
    await project.write({ 'rollcall.config.json': { plugins: ['./plugins/weather'] } })
    expect((await project.runTrusted('call', 'weather__hello', 'name=you')).stdout).toBe('Hello, you!\n')
  })

  it('refuses a folder that is not empty, and a name that is no appId', async () => {
    await using project = await makeProject({ 'weather/README.md': 'mine' })
    const taken = await project.run('new', 'plugin', 'weather', '--json')
    expect([taken.code, JSON.parse(taken.stdout).error.code]).toEqual([2, 'FILE_EXISTS'])
    expect((await project.run('new', 'plugin', 'Weather')).code).toBe(2)
    expect((await project.run('new', 'plugin', 'weather', '--dir', 'fresh')).code).toBe(0)
  })
})
