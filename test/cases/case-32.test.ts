import { join } from 'node:path'
import type { ProviderEntry } from '@rollcall/host'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { makeProject } from '../../packages/cli/test/project.ts'
import { isRunning } from '../e2e/processes.ts'
import { main } from '../e2e/scratch.ts'
import { openCaseFolder, words } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('32')
const canaries = { HOST_PROVIDER_KEY: 'CANARY-32-a', MODEL_API_KEY: 'CANARY-32-b', MY_PLAIN: 'CANARY-32-c' }
const server = { command: 'node', args: [join(folder ?? '', 'server.mjs')] }
const none = { canary: [], path: true, home: true }

describe.skipIf(folder === undefined)('the environment of a server', () => {
  it.each([
    ['what is declared', { DEMO_DECLARED: 'yes' }, { ...none, declared: 'yes' }],
    ['what a variable of the configuration hands over', { PASSED: '${MY_PLAIN}' }, { ...none, canary: ['PASSED'] }],
    ['what is named as a secret', { PASSED: { env: 'MY_PLAIN' } }, { ...none, canary: ['PASSED'] }],
  ])('is the few of the host and %s, from the command line', async (_what, env, expected) => {
    await using project = await makeProject({
      'rollcall.config.json': { providers: { c32: { ...server, env, ...words } } },
    })
    const run = (...args: readonly string[]) =>
      execa(process.execPath, [main, '--config', 'rollcall.config.json', ...args], {
        cwd: project.folder,
        env: { ...project.env, ...canaries },
        extendEnv: false,
        reject: false,
        stdin: 'ignore',
      })
    expect((await run('sync')).exitCode).toBe(0)
    const { stdout, stderr } = await run('call', 'c32__env_names')
    expect(stdout, stderr).toMatch(/^\{/)
    expect(JSON.parse(stdout)).toMatchObject(expected)
    expect(JSON.parse(stdout).names).not.toEqual(expect.arrayContaining(['HOST_PROVIDER_KEY']))
  })

  it.each([
    ['declared', { DEMO_DECLARED: 'yes' }, []],
    ['named', { PASSED: { env: 'MY_PLAIN' } }, ['PASSED']],
  ] as const)('is the same after a crash (%s)', async (_what, env, canary) => {
    await using home = await openCaseFolder()
    const c32: ProviderEntry = { ...words, server: { ...server, env } }
    await using opened = await home.open({ c32 }, { env: { ...process.env, CI: '', ...canaries } })
    await opened.settled()
    const seen = async () => JSON.parse((await opened.call('c32__env_names')).text)
    const before = await seen()
    expect(before).toMatchObject({ ...none, canary })
    const pid = opened.mcp.servers()[0]?.pid ?? 0
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => isRunning(pid), { timeout: 5_000 }).toBe(false)
    await expect.poll(() => opened.mcp.servers()[0]?.state, { timeout: 5_000 }).not.toBe('ready')
    expect(await seen()).toEqual(before)
    expect(opened.mcp.servers()[0]?.pid).not.toBe(pid)
  })
})
