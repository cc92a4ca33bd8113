import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHost, localUser } from '@rollcall/host'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import plugin from '../src/plugin.ts'

const who = { principal: localUser }
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-system-'))
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

const boot = () => createHost({ plugins: [{ appId: 'system', plugin, options: { folder } }] })

async function call(tool: string) {
  await using host = await boot()
  return await host.tools.call(tool, {}, who)
}

const writePackage = async (path: string, manifest: object) => {
  await mkdir(join(folder, path), { recursive: true })
  await writeFile(join(folder, path, 'package.json'), JSON.stringify(manifest))
}

describe('the system plugin', () => {
  it('announces four tools that read, of which only the secret one starts off', async () => {
    await using host = await boot()
    const tools = host.tools.all().filter(({ appId }) => appId === 'system')
    const rows = tools.map(({ name, traits, holds }) => [name, traits.effect, traits.dataClass, holds.length === 0])
    expect(rows.toSorted()).toEqual([
      ['system__environment', 'read', 'systemDiagnostics', true],
      ['system__environment_raw', 'read', 'secretAdjacent', false],
      ['system__packages', 'read', 'internalConfiguration', true],
      ['system__status', 'read', 'systemDiagnostics', true],
    ])
    expect(host.report().findings).toEqual([])
  })

  it('tells how this process is doing', async () => {
    expect(await call('system__status')).toMatchObject({
      status: 'ok',
      structured: { process: { id: process.pid, node: process.versions.node } },
    })
  })

  it('shows the environment without its secrets', async () => {
    vi.stubEnv('ROLLCALL_TEST_PLAIN', 'visible')
    vi.stubEnv('ROLLCALL_TEST_TOKEN', 'canary-7b1f')
    const outcome = await call('system__environment')
    expect(outcome).toMatchObject({ status: 'ok', structured: { variables: { ROLLCALL_TEST_PLAIN: 'visible' } } })
    expect(JSON.stringify(outcome)).not.toContain('canary-7b1f')
  })

  it('shows the raw environment to nobody until it is switched on and a person approves', async () => {
    await using host = await boot()
    expect(await host.tools.call('system__environment_raw', {}, who)).toMatchObject({ status: 'denied' })
    await host.switches.enable({ kind: 'tool', name: 'system__environment_raw' }, 'a test')
    expect(await host.tools.call('system__environment_raw', {}, who)).toMatchObject({ status: 'waiting' })
    const guest = { ...localUser, id: 'guest', person: 'guest', admin: false }
    expect(await host.tools.call('system__environment_raw', {}, { principal: guest })).toMatchObject({
      status: 'denied',
    })
  })

  it('lists what a package asks for and what is installed', async () => {
    await writePackage('.', {
      name: 'app',
      version: '2.0.0',
      dependencies: { here: '^1.0', '@acme/gone': '1' },
      devDependencies: { '../../outside': '1' },
    })
    await writePackage('node_modules/here', { name: 'here', version: '1.4.0' })
    expect(await call('system__packages')).toMatchObject({
      status: 'ok',
      structured: {
        name: 'app',
        version: '2.0.0',
        dependencies: [
          { name: 'here', asksFor: '^1.0', installed: '1.4.0', development: false },
          { name: '@acme/gone', asksFor: '1', installed: null, development: false },
          { name: '../../outside', asksFor: '1', installed: null, development: true },
        ],
      },
    })
  })

  it('looks at nothing outside the folder, whatever a dependency is called', async () => {
    await writePackage('inner', {
      name: 'inner',
      dependencies: { '../../outside': '1', '..': '1', '@a/../../outside': '1' },
    })
    await writePackage('outside', { name: 'outside', version: '6.6.6' })
    await using host = await createHost({
      plugins: [{ appId: 'system', plugin, options: { folder: join(folder, 'inner') } }],
    })
    const outcome = await host.tools.call('system__packages', {}, who)
    expect(outcome.status).toBe('ok')
    expect(JSON.stringify(outcome)).not.toContain('6.6.6')
  })

  it('fails where the folder holds no package', async () => {
    expect(await call('system__packages')).toMatchObject({ status: 'failed', code: 'TOOL_FAILED' })
  })
})
