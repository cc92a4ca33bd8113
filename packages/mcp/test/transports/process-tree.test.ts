import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isRunning, settled, textOf, until } from '../observe.ts'
import { callBy, fixture, fixtures, openProject } from '../open-project.ts'

const hasProcessTable = process.platform === 'linux'

describe.runIf(hasProcessTable)('a server that will not leave', () => {
  it('is gone with its helpers within two seconds of the stop, also the helper that left its group', async () => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'stubborn', fixture('stubborn'))
    await settled(provider)
    const pids = textOf(await provider.call('pids', {}, callBy()))
      .split(' ')
      .map(Number)
    expect(pids.map(isRunning)).toEqual([true, true, true])
    const startedAt = performance.now()
    await provider[Symbol.asyncDispose]()
    expect(performance.now() - startedAt).toBeLessThan(2_100)
    expect(pids.map(isRunning)).toEqual([false, false, false])
  })

  it('takes no longer when there are several of them', async () => {
    await using project = await openProject()
    const mcp = project.start()
    const providers = await Promise.all(['a', 'b', 'c'].map((id) => project.open(mcp, id, fixture('stubborn'))))
    await Promise.all(providers.map((provider) => settled(provider)))
    const answers = await Promise.all(providers.map((provider) => provider.call('pids', {}, callBy())))
    const startedAt = performance.now()
    await mcp[Symbol.asyncDispose]()
    expect(performance.now() - startedAt).toBeLessThan(2_500)
    expect(answers.flatMap((answer) => textOf(answer).split(' ').map(Number)).filter(isRunning)).toEqual([])
  })

  it.each([
    ['exit', undefined],
    ['throw', undefined],
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGINT'],
    ['SIGHUP', 'SIGHUP'],
  ] as const)('leaves nothing behind when its host ends by %s', async (end, signal) => {
    // What the other process can't remove any more goes with this folder.
    await using project = await openProject()
    const host = spawn(process.execPath, [join(fixtures, 'host-process.ts')], {
      env: { ...process.env, END: end, TMPDIR: project.folder },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const exited = once(host, 'exit')
    let output = ''
    host.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
    await until(() => output.includes('\n'), 20_000)
    const pids = output.trim().split(' ').map(Number)
    expect(pids).toHaveLength(3)
    if (signal !== undefined) host.kill(signal)
    const [code, by] = await exited
    expect(signal === undefined ? typeof code : by).toBe(signal ?? 'number')
    await until(() => !pids.some(isRunning), 3_000)
  })
})

describe('a server that leaves politely', () => {
  it('is given the chance first: its input ends and no signal comes', async () => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'polite', fixture('polite', { LOG_FILE: project.logFile }))
    await settled(provider)
    const before = await project.log()
    expect(textOf(await provider.call('hello', {}, callBy()))).toBe('hello')
    await provider[Symbol.asyncDispose]()
    expect((await project.log()).slice(before.length)).toEqual(['called hello', 'input ended'])
  })

  it('is stopped when nobody has used it for a while, and starts again for the next call', async () => {
    await using project = await openProject()
    const mcp = project.start({ idleMs: 100 })
    const provider = await project.open(mcp, 'polite', fixture('polite', { LOG_FILE: project.logFile }))
    await settled(provider)
    const before = await project.log()
    await provider.call('hello', {}, callBy())
    await until(() => mcp.servers()[0]?.state === 'idle')
    expect(textOf(await provider.call('hello', {}, callBy()))).toBe('hello')
    const since = (await project.log()).slice(before.length)
    expect(since.filter((line) => line !== 'called hello')).toEqual(['input ended', 'started'])
  })
})
