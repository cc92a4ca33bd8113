import { describe, expect, it } from 'vitest'
import { failureOf, heldIn, isRunning, list, settled, textOf, until } from '../observe.ts'
import { callBy, fixture, hostEnvironment, openProject } from '../open-project.ts'

describe('noise and split bytes on standard output', () => {
  it('ignores and counts the noise, and the text of three answers stays whole', async () => {
    await using project = await openProject()
    const mcp = project.start()
    const provider = await project.open(mcp, 'noisy', fixture('noisy'))
    expect(heldIn(await settled(provider))).toEqual({ say: '' })
    for (let call = 0; call < 3; call += 1) {
      expect(textOf(await provider.call('say', {}, callBy()))).toBe('zażółć 漢字 🎉')
    }
    expect(mcp.servers()[0]).toMatchObject({ state: 'ready', noiseLines: 15 })
    expect((await list(provider)).detail).toBe('mcp, stdio, running')
  })
})

describe('a flood on the error output', () => {
  it('is drained while three calls answer, and only its newest 8 KB are kept', async () => {
    await using project = await openProject()
    const mcp = project.start()
    const provider = await project.open(mcp, 'flood', fixture('flood'))
    await settled(provider)
    for (let call = 0; call < 3; call += 1) expect(textOf(await provider.call('spam', {}, callBy()))).toBe('done')
    await until(() => mcp.servers()[0]?.stderrTail?.endsWith('newest line') === true)
    expect(Buffer.byteLength(mcp.servers()[0]?.stderrTail ?? '')).toBeLessThanOrEqual(8_192)
  })

  it('R-SEC-29 shows no control character and no secret that was handed over', async () => {
    await using project = await openProject()
    const mcp = project.start({ env: { ...hostEnvironment, FLOOD_SECRET: 'hunter2-canary' } })
    const provider = await project.open(mcp, 'flood', {
      ...fixture('flood'),
      env: { SECRET: { env: 'FLOOD_SECRET' } },
    })
    await settled(provider)
    await provider.call('escape', {}, callBy())
    await until(() => mcp.servers()[0]?.stderrTail?.includes('end') === true)
    const tail = mcp.servers()[0]?.stderrTail ?? ''
    expect(tail).not.toContain('hunter2-canary')
    expect(tail).toContain('token [redacted] end')
    expect(tail).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/)
  })
})

describe('a slow or silent server', () => {
  it('holds up nobody else, and fails with a reason that names its own limit', async () => {
    await using project = await openProject()
    const mcp = project.start({ limits: { connectTimeoutMs: 2_500 } })
    const silent = await project.open(mcp, 'silent', fixture('slow', { INIT_MS: '-1' }))
    const slow = await project.open(mcp, 'slow', fixture('slow', { INIT_MS: '1200' }))
    const quick = await project.open(mcp, 'quick', fixture('slow'))
    for (const provider of [silent, slow, quick]) expect((await list(provider)).detail).toBe('mcp, stdio, starting')

    expect(heldIn(await settled(quick, 2_000))).toEqual({ late: '' })
    expect(textOf(await quick.call('late', {}, callBy()))).toBe('late answer')
    expect((await list(silent)).detail).toBe('mcp, stdio, starting')
    const pid = mcp.servers().find(({ appId }) => appId === 'silent')?.pid ?? 0
    expect(isRunning(pid)).toBe(true)

    expect(heldIn(await settled(slow))).toEqual({ late: '' })
    const failure = await failureOf(settled(silent))
    expect(failure.code).toBe('SERVER_TIMEOUT')
    expect(failure.message).toContain('2500 ms')
    expect(failure.message).toContain('downloading the internet')
    expect(isRunning(pid)).toBe(false)
    expect(heldIn(await list(quick))).toEqual({ late: '' })
  })

  it('does not wait for its handshake when the host closes', async () => {
    await using project = await openProject()
    const mcp = project.start()
    await list(await project.open(mcp, 'silent', fixture('slow', { INIT_MS: '-1' })))
    await until(() => mcp.servers()[0]?.pid !== undefined)
    const pid = mcp.servers()[0]?.pid ?? 0
    const startedAt = performance.now()
    await mcp[Symbol.asyncDispose]()
    expect(performance.now() - startedAt).toBeLessThan(2_500)
    expect(isRunning(pid)).toBe(false)
  })
})

describe('a server that can not start', () => {
  it('fails at once with its exit code and the end of its error output', async () => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'exits', fixture('exits'))
    const failure = await failureOf(settled(provider))
    expect(failure.code).toBe('SERVER_UNAVAILABLE')
    expect(failure.message).toContain('exit code 3')
    expect(failure.message).toContain('fatal: no such database')
  })

  it('names a command that does not exist, and where to look', async () => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'ghost', { command: 'no-such-command-here' })
    const failure = await failureOf(settled(provider))
    expect(failure).toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    expect(failure.message).toContain('"no-such-command-here"')
    expect(failure.hint).toContain('PATH')
    expect(failure.hint).toContain('"providers.ghost.command"')
  })

  it('names a folder that does not exist', async () => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'lost', { ...fixture('slow'), cwd: 'nowhere' })
    expect((await failureOf(settled(provider))).message).toContain('nowhere')
  })
})

describe('one tool name on two servers', () => {
  it('always reaches the server that was asked, and a stopped one is not stood in for', async () => {
    await using project = await openProject()
    for (const delays of [
      { alpha: '300', beta: '0' },
      { alpha: '0', beta: '300' },
    ]) {
      const mcp = project.start()
      const beta = await project.open(mcp, 'beta', fixture('same-name', { WHO: 'beta', DELAY_MS: delays.beta }))
      const alpha = await project.open(mcp, 'alpha', fixture('same-name', { WHO: 'alpha', DELAY_MS: delays.alpha }))
      expect(heldIn(await settled(alpha))).toEqual({ only_alpha: '', send_mail: '' })
      expect(heldIn(await settled(beta))).toEqual({ only_beta: '', send_mail: '' })
      expect(textOf(await alpha.call('send_mail', { to: 'x' }, callBy()))).toBe('alpha ran send_mail {"to":"x"}')
      expect(textOf(await beta.call('send_mail', { recipient: 'x' }, callBy()))).toBe(
        'beta ran send_mail {"recipient":"x"}',
      )
      await alpha[Symbol.asyncDispose]()
      expect((await failureOf(alpha.call('send_mail', { to: 'x' }, callBy()))).code).toBe('SERVER_UNAVAILABLE')
      expect(textOf(await beta.call('send_mail', { recipient: 'y' }, callBy()))).toContain('beta ran')
      await mcp[Symbol.asyncDispose]()
    }
  })
})
