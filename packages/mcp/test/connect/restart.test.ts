import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failureOf, settled, textOf, until } from '../observe.ts'
import { callBy, fixture, openProject, type Project } from '../open-project.ts'
import { openSession } from '../open-session.ts'

async function leaving(project: Project) {
  const mcp = project.start()
  const env = { LOG_FILE: project.logFile, FOLDER: project.folder }
  const provider = await project.open(mcp, 'a', fixture('leaves', env))
  await settled(provider)
  return { mcp, provider }
}

async function timesOf(project: Project, line: string): Promise<number> {
  return (await project.log()).filter((each) => each === line).length
}

/** Eight sessions call four times each, and the server is killed in the middle of it. */
async function callsWhileKilled(project: Project, effect: 'read' | 'write') {
  const { provider } = await leaving(project)
  const pid = Number(textOf(await provider.call('pid', {}, callBy())))
  const sessions = Array.from({ length: 8 }, (_each, index) => openSession(`s-${index}`))
  const calls = sessions.flatMap((session) =>
    [1, 2, 3, 4].map(() => provider.call('slow', {}, session.call({ effect }))),
  )
  const ended = Promise.allSettled(calls)
  await until(async () => (await timesOf(project, 'called slow')) >= 8)
  process.kill(pid, 'SIGKILL')
  const startedAt = performance.now()
  const outcomes = await ended
  return { provider, outcomes, tookMs: performance.now() - startedAt }
}

describe('a server that is killed while eight sessions call it', () => {
  it('lets every read end well', async () => {
    await using project = await openProject()
    const { provider, outcomes, tookMs } = await callsWhileKilled(project, 'read')
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
    expect(tookMs).toBeLessThan(10_000)
    expect(textOf(await provider.call('short', {}, callBy()))).toBe('short')
    // Once before it was killed, once after.
    expect(await timesOf(project, 'called slow')).toBeLessThanOrEqual(64)
  })

  it('lets every write end, done or unknown, and none is done twice', async () => {
    await using project = await openProject()
    const { provider, outcomes, tookMs } = await callsWhileKilled(project, 'write')
    const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(lost.length).toBeGreaterThan(0)
    for (const error of lost) expect(error.code).toMatch(/^(TOOL_OUTCOME_UNKNOWN|SERVER_UNAVAILABLE)$/)
    expect(lost.find(({ code }) => code === 'TOOL_OUTCOME_UNKNOWN')?.message).toContain('SIGKILL')
    expect(tookMs).toBeLessThan(10_000)
    expect(await timesOf(project, 'called slow')).toBeLessThanOrEqual(32)
    expect(textOf(await provider.call('short', {}, callBy()))).toBe('short')
  })
})

describe('a server that stays down', () => {
  it('is left alone after five failures, says when the next try is, and is probed by one call then', async () => {
    await using project = await openProject()
    const { mcp, provider } = await leaving(project)
    await project.write('down', '')
    expect((await failureOf(provider.call('always', {}, callBy()))).message).toContain('still down')
    expect(mcp.servers()[0]?.nextTryAt).toBeGreaterThan(Date.now())
    for (let time = 0; time < 3; time += 1) await failureOf(provider.call('short', {}, callBy()))
    expect(await timesOf(project, 'down')).toBe(4)

    const nextTryAt = mcp.servers()[0]?.nextTryAt ?? 0
    expect(nextTryAt).toBeGreaterThan(Date.now() + 5_000)
    const refusals = await Promise.all([1, 2, 3].map(() => failureOf(provider.call('short', {}, callBy()))))
    for (const { code, message, data } of refusals) {
      expect(code).toBe('SERVER_UNAVAILABLE')
      expect(message).toMatch(/a failed 5 times in a row; the next try is in \d s\. .*still down/)
      expect(data).toEqual({ sent: false, nextTryAt })
    }
    expect(await timesOf(project, 'down')).toBe(4)

    await rm(join(project.folder, 'down'))
    await until(() => mcp.servers()[0]?.nextTryAt === undefined, 15_000)
    const probes = await Promise.allSettled([1, 2, 3].map(() => provider.call('short', {}, callBy())))
    expect(probes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(textOf(await provider.call('short', {}, callBy()))).toBe('short')
    expect(mcp.servers()[0]).toMatchObject({ state: 'ready', connections: 1 })
  }, 60_000)
})
