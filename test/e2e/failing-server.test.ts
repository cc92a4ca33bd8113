import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeProject, pluginFiles, toolSource } from '../../packages/cli/test/project.ts'
import { root } from '../list-files.ts'

const words = { dataClass: 'publicContent', effect: 'read', approval: 'notNeeded' }

it('a server that exits at its start costs its own tools, and is told with its last words', async () => {
  const exits = { command: 'node', args: [join(root, 'packages/mcp/test/fixtures/exits.mjs')], ...words }
  await using project = await makeProject({
    'rollcall.config.json': { plugins: ['./plugins/demo'], providers: { exits } },
    ...pluginFiles('demo', toolSource.greet),
  })
  const synced = await project.runTrusted('sync', '--json')
  expect(synced.code).toBe(1)
  const [server] = JSON.parse(synced.stdout).servers
  expect(server).toMatchObject({ appId: 'exits', status: 'failed', error: { code: 'SERVER_UNAVAILABLE' } })
  expect(server.error.message).toContain('exit code 3')
  expect(server.error.message).toContain('fatal: no such database')

  const { providers } = JSON.parse((await project.runTrusted('plugins', '--json')).stdout)
  expect(providers.map(({ appId, state }: { appId: string; state: string }) => `${appId} ${state}`)).toEqual(
    expect.arrayContaining(['exits held', 'demo active']),
  )
  expect((await project.runTrusted('call', 'demo__greet', 'name=you')).stdout).toBe('Hello, you!\n')
})

it('a server that is gone after it was pinned fails its calls with a reason, and nothing else', async () => {
  const preload = join('plugins', 'preload.mjs')
  const everything = join('node_modules', '@modelcontextprotocol', 'server-everything', 'dist', 'index.js')
  await using project = await makeProject({
    'rollcall.config.json': {
      providers: { gone: { command: 'node', args: ['--import', `./${preload}`, everything, 'stdio'], ...words } },
    },
    [preload]: '',
  })
  expect((await project.runTrusted('sync')).code).toBe(0)
  await project.write({ [preload]: 'process.exit(4)' })
  const called = await project.runTrusted('call', 'gone__echo', 'message=hi', '--json')
  expect(called.code).toBe(1)
  expect(JSON.parse(called.stdout)).toMatchObject({ status: 'failed', code: 'SERVER_UNAVAILABLE' })
  expect((await project.runTrusted('tools', '--json')).stdout).toContain('gone__echo')
})
