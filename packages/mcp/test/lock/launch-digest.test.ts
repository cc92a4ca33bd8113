import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { McpClaim } from '@rollcall/host'
import type { ServerDeclaration } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { settingsOf } from '../../src/declaration/mcp-settings.ts'
import { launchDigest } from '../../src/lock/launch-digest.ts'
import { unpinnedPackage } from '../../src/lock/unpinned-launch.ts'
import { list } from '../observe.ts'
import { openProject } from '../open-project.ts'

function digest(server: ServerDeclaration, more: Partial<McpClaim> = {}, folder = '/home/ann/project', env = {}) {
  const claim: McpClaim = {
    appId: 'a',
    plugin: 'configuration',
    version: '',
    source: 'configured',
    server,
    words: {},
    pin: 'first-use',
    ...more,
  }
  return launchDigest(claim, settingsOf({ lockFile: join(folder, 'rollcall.lock.json'), folder, env }))
}

const announced = { appId: 'a', plugin: 'acme', version: '', source: 'announced', words: {}, pin: 'first-use' } as const
const base = { command: 'node', args: ['server.mjs', '--root', '${DATA}'], env: { KEY: 'one' } }

describe('the launch digest', () => {
  it('is the same on another machine, with other values and another path of Node', () => {
    const there = (folder: string) => ({
      command: 'node',
      args: [join(folder, 'dist/server.mjs'), `--dir=${folder}/x`],
    })
    expect(digest(there('/home/ann/project'), {}, '/home/ann/project')).toBe(digest(there('/srv/p'), {}, '/srv/p'))
    expect(digest({ ...base, command: process.execPath })).toBe(digest(base))
    expect(digest({ ...base, env: { KEY: { env: 'OTHER' } } })).toBe(digest(base))
    expect(digest(base, {}, '/home/ann/project', { DATA: '/data' })).toBe(digest(base))
  })

  it('is the same wherever the state folder lies', () => {
    const launchIn = (state: string, path: string) => {
      const settings = {
        folder: '/srv/p',
        lockFile: '/srv/p/rollcall.lock.json',
        variables: { ROLLCALL_STATE_DIR: state },
      }
      const server = { command: 'node', args: ['server.mjs', path] }
      return launchDigest({ ...announced, server }, settingsOf(settings))
    }
    const one = launchIn('/srv/p/.rollcall', '/srv/p/.rollcall/files')
    expect(launchIn('/var/lib/rollcall', '/var/lib/rollcall/files')).toBe(one)
    expect(launchIn('/var/lib/rollcall', '/var/lib/rollcall/other')).not.toBe(one)
    expect(launchIn('/var/lib/rollcall', '/var/lib/rollcall-other/files')).not.toBe(one)
  })

  it.each([
    ['the command', { ...base, command: 'deno' }, {}],
    ['an argument', { ...base, args: ['server.mjs'] }, {}],
    ['a path outside of the folder', { ...base, args: ['/tmp/server.mjs', '--root', '${DATA}'] }, {}],
    ['the working folder', { ...base, cwd: 'sub' }, {}],
    ['the names of the environment', { ...base, env: { KEY: 'one', NODE_OPTIONS: '' } }, {}],
    ['the owner', base, { source: 'announced', plugin: 'acme' }],
    ['the transport', { url: 'https://example.test/mcp' }, {}],
  ] as const)('R-SEC-02 changes with %s', (_what, server, more) => {
    expect(digest(server, more)).not.toBe(digest(base))
  })

  it('R-SEC-02 of an address changes with origin, path and kind of credentials, not with their values', () => {
    const one = digest({ url: 'https://example.test/mcp?x=1' })
    expect(digest({ url: 'https://example.test/mcp' })).toBe(one)
    expect(digest({ url: 'https://example.test/mcp', transport: 'http' })).toBe(one)
    expect(digest({ url: 'https://example.test/mcp', transport: 'sse' })).not.toBe(one)
    for (const url of ['https://example.test/other', 'https://evil.test/mcp', 'http://example.test/mcp']) {
      expect(digest({ url })).not.toBe(one)
    }
    const bearer = digest({ url: 'https://example.test/mcp', auth: { bearer: { env: 'A' } } })
    expect(bearer).not.toBe(one)
    expect(digest({ url: 'https://example.test/mcp', auth: { bearer: { env: 'B' } } })).toBe(bearer)
  })

  it('R-SEC-02 changes when the installed package behind an argument is another version', async () => {
    await using project = await openProject()
    const folder = join(project.folder, 'node_modules/@acme/server')
    await mkdir(folder, { recursive: true })
    const install = (version: string) => writeFile(join(folder, 'package.json'), JSON.stringify({ version }))
    const launch = () => digest({ command: 'node', args: [join(folder, 'index.js')] }, {}, project.folder)
    await install('1.0.0')
    const one = launch()
    expect(launch()).toBe(one)
    await install('1.0.1')
    expect(launch()).not.toBe(one)
  })
})

describe('a launch without a version', () => {
  it.each([
    ['npx', ['-y', '@acme/server'], '@acme/server'],
    ['npx', ['-y', '@acme/server@latest', '--x'], '@acme/server@latest'],
    ['npx', ['@acme/server@^1.2.3'], '@acme/server@^1.2.3'],
    ['/usr/bin/npx.cmd', ['server'], 'server'],
    ['npx', ['--package=acme', 'acme-server'], 'acme'],
    ['pnpm', ['dlx', 'acme'], 'acme'],
    ['uvx', ['mcp-server-git'], 'mcp-server-git'],
    ['uvx', ['--from', 'git+https://x.test/y', 'run'], 'git+https://x.test/y'],
  ])('%s %j is told', (command, args, name) => {
    expect(unpinnedPackage({ command, args })).toBe(name)
  })

  it.each([
    ['npx', ['-y', '@acme/server@1.2.3']],
    ['npx', ['-p', 'acme@1.2.3-beta.1', 'acme-server']],
    ['uvx', ['mcp-server-git==2026.1.2']],
    ['uvx', ['mcp-server-git@2026.1.2']],
    ['node', ['server.mjs']],
    ['pnpm', ['run', 'server']],
  ])('%s %j is pinned, or no such launch', (command, args) => {
    expect(unpinnedPackage({ command, args })).toBeUndefined()
  })
})

it('a listing tells of a launch without a version, and starts nothing to find out', async () => {
  await using project = await openProject()
  const mcp = project.start({ pinning: 'off' })
  const provider = await project.open(mcp, 'a', { command: 'npx', args: ['-y', '@acme/server'] })
  const { findings } = await list(provider)
  expect(findings).toContainEqual(
    expect.objectContaining({ code: 'LAUNCH_UNPINNED', message: expect.stringContaining('@acme/server') }),
  )
  expect(mcp.servers()).toMatchObject([{ state: 'idle' }])
})
