import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeProject, type Project } from '../../packages/cli/test/project.ts'
import { isRunning } from '../e2e/processes.ts'
import { root } from '../list-files.ts'
import { openCaseFolder, serverIn, words } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('10')

function project(): Promise<Project> {
  const c10 = { command: 'node', args: [join(folder ?? '', 'server.mjs')], ...words }
  return makeProject({ 'rollcall.config.json': { providers: { c10 }, http: { port: 0 } } })
}

describe.skipIf(folder === undefined)('a server that ignores every request to leave', () => {
  it('keeps no command from ending, and is gone with its helper when it has', async () => {
    await using own = await project()
    expect((await own.runTrusted('sync')).code).toBe(0)
    const startedAt = performance.now()
    const { code, stdout, stderr } = await own.runTrusted('call', 'c10__pids')
    expect(code, stderr).toBe(0)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    const pids = stdout.trim().split(' ').map(Number)
    expect(pids).toHaveLength(2)
    expect(pids.filter(isRunning)).toEqual([])
  })

  it('is gone with its helper when the host is stopped', async () => {
    await using home = await openCaseFolder()
    const opened = await home.open({ c10: serverIn(folder ?? '') })
    await opened.settled()
    const pids = (await opened.call('c10__pids')).text.split(' ').map(Number)
    expect(pids.map(isRunning)).toEqual([true, true])
    const startedAt = performance.now()
    await opened[Symbol.asyncDispose]()
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    expect(pids.filter(isRunning)).toEqual([])
  })
})

it('a server that leaves when its input ends gets no signal', async () => {
  await using home = await openCaseFolder()
  const LOG_FILE = join(home.folder, 'log.txt')
  const args = [join(root, 'packages/mcp/test/fixtures/polite.mjs')]
  const opened = await home.open({ polite: { ...words, server: { command: 'node', args, env: { LOG_FILE } } } })
  await opened.settled()
  await opened[Symbol.asyncDispose]()
  // It is asked which revisions it speaks, and listed as two kinds of clients, by a process each.
  const lines = (await readFile(LOG_FILE, 'utf8')).split('\n')
  const count = (what: string) => lines.filter((line) => line === what).length
  expect([count('started'), count('input ended')]).toEqual([3, 3])
})
