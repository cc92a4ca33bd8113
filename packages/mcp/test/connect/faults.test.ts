import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failureOf, isRunning, settled, textOf, until } from '../observe.ts'
import { callBy, fixture, fixtures, openProject, type Project } from '../open-project.ts'

async function halfGone(project: Project) {
  const mcp = project.start()
  const provider = await project.open(mcp, 'half', fixture('half-gone', { LOG_FILE: project.logFile }))
  await settled(provider)
  await provider.call('hello', {}, callBy())
  return { mcp, provider, pid: mcp.servers()[0]?.pid ?? 0 }
}

/** Nothing is repeated for a write, so that what is seen is the first end. */
const asWrite = (more: Parameters<typeof callBy>[1] = {}) => callBy('ann', { effect: 'write', ...more })

describe('a server that is gone by halves', () => {
  it('fails the call at once when it closes its output and runs on, and is replaced for the next', async () => {
    await using project = await openProject()
    const { provider, pid } = await halfGone(project)
    const startedAt = performance.now()
    const failure = await failureOf(provider.call('closesOutput', {}, asWrite({ timeoutMs: 4_000 })))
    expect(failure.code).toBe('TOOL_OUTCOME_UNKNOWN')
    expect(performance.now() - startedAt).toBeLessThan(3_000)
    expect(textOf(await provider.call('hello', {}, callBy()))).toBe('hello')
    await until(() => !isRunning(pid), 4_000)
  })

  it('does not hold up the call after it has stopped reading', async () => {
    await using project = await openProject()
    const { provider, pid } = await halfGone(project)
    expect(textOf(await provider.call('closesInput', {}, asWrite()))).toBe('deaf now')
    const startedAt = performance.now()
    // The first to find out may find out too late to be repeated.
    const first = provider.call('hello', {}, asWrite({ timeoutMs: 3_000 })).then(textOf, () => 'failed')
    expect(['hello', 'failed']).toContain(await first)
    expect(performance.now() - startedAt).toBeLessThan(6_000)
    expect(textOf(await provider.call('hello', {}, callBy()))).toBe('hello')
    await until(() => !isRunning(pid), 4_000)
  })

  it('fails the call at once when it leaves in the middle of its answer, with its exit code', async () => {
    await using project = await openProject()
    const { provider } = await halfGone(project)
    const failure = await failureOf(provider.call('halfAnswer', {}, asWrite()))
    expect(failure).toMatchObject({ code: 'TOOL_OUTCOME_UNKNOWN', data: { exitCode: 9 } })
    expect(textOf(await provider.call('hello', {}, callBy()))).toBe('hello')
  })

  it.runIf(process.platform === 'linux')(
    'that is frozen runs into the time of its call, and goes with its host',
    async () => {
      await using project = await openProject()
      const { mcp, provider, pid } = await halfGone(project)
      const failure = await failureOf(provider.call('freezes', {}, asWrite({ timeoutMs: 300 })))
      expect(failure).toMatchObject({ code: 'TOOL_OUTCOME_UNKNOWN', data: { reason: 'SERVER_TIMEOUT' } })
      const startedAt = performance.now()
      await mcp[Symbol.asyncDispose]()
      expect(performance.now() - startedAt).toBeLessThan(2_500)
      expect(isRunning(pid)).toBe(false)
    },
  )
})

describe('a server that was killed between calls', () => {
  it('is started anew for the next call, which notices nothing', async () => {
    await using project = await openProject()
    const { mcp, provider, pid } = await halfGone(project)
    process.kill(pid, 'SIGKILL')
    await until(() => mcp.servers()[0]?.pid !== pid || mcp.servers()[0]?.state !== 'ready')
    expect(textOf(await provider.call('hello', {}, asWrite()))).toBe('hello')
    expect(mcp.servers()[0]).toMatchObject({ state: 'ready' })
    expect(mcp.servers()[0]?.pid).not.toBe(pid)
  })
})

describe.runIf(process.platform === 'linux')('a host that is killed', () => {
  it('leaves no server behind that ends with its input', async () => {
    await using project = await openProject()
    await using killed = await killHost(project, 'polite')
    await until(() => !killed.pids.some(isRunning), 3_000)
  })

  it('leaves no server behind that ignores the end of its input, and none of its helpers', async () => {
    await using project = await openProject()
    await using killed = await killHost(project, 'stubborn')
    await until(() => !killed.pids.some(isRunning), 3_000)
  })
})

/** A host of its own process that was killed while it had this server; disposing kills what is left of that. */
async function killHost(project: Project, server: string) {
  const host = spawn(process.execPath, [join(fixtures, 'host-of.ts'), server], {
    env: { ...process.env, TMPDIR: project.folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exited = once(host, 'exit')
  let output = ''
  host.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  await until(() => output.includes('\n'), 20_000)
  const pids = output.trim().split(' ').map(Number)
  expect(pids.map(isRunning)).toEqual(pids.map(() => true))
  host.kill('SIGKILL')
  await exited
  return {
    pids,
    async [Symbol.asyncDispose]() {
      for (const pid of pids.filter(isRunning)) process.kill(pid, 'SIGKILL')
    },
  }
}
