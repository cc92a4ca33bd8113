import { describe, expect, it } from 'vitest'
import type { McpOptions } from '../../src/mcp.ts'
import { failureOf, isRunning, settled, textOf, until } from '../observe.ts'
import { callBy, fixture, openProject, type Project } from '../open-project.ts'

async function answering(project: Project, options: Partial<McpOptions> = {}, env: Record<string, string> = {}) {
  const mcp = project.start(options)
  const provider = await project.open(mcp, 'a', fixture('answers', { LOG_FILE: project.logFile, ...env }))
  await settled(provider)
  return { mcp, provider }
}

describe('the result of a call', () => {
  it('passes every known kind of block unchanged and turns an unknown one into a note', async () => {
    await using project = await openProject()
    const { provider } = await answering(project)
    const result = await provider.call('blocks', {}, callBy())
    expect(result.content?.slice(0, 5)).toEqual([
      { type: 'text', text: 'one', annotations: { priority: 1 } },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'x:1', text: 'inside' } },
      { type: 'resource_link', uri: 'x:2', name: 'link', size: 3 },
    ])
    expect(result.content?.[5]).toMatchObject({ type: 'text', text: expect.stringContaining('"hologram"') })
    expect(result).toMatchObject({ structured: { n: 1 }, meta: { 'a/b': { c: 1 } } })
  })

  it('keeps the failure of a tool, also one that came as an error of the protocol', async () => {
    await using project = await openProject()
    const { provider } = await answering(project)
    expect(await provider.call('fails', {}, callBy())).toMatchObject({ isError: true })
    expect(await provider.call('refuses', {}, callBy())).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'bad path' }],
      meta: { 'rollcall/serverError': { code: -32_602, message: 'bad path', data: 1 } },
    })
  })

  it('is taken from an answer with members that the protocol does not know', async () => {
    await using project = await openProject()
    const { provider } = await answering(project)
    expect(textOf(await provider.call('extraMembers', {}, callBy()))).toBe('extra')
  })

  it.each(['noObject', 'noContentList'])('that is none (%s) fails at once', async (tool) => {
    await using project = await openProject()
    const { provider } = await answering(project)
    expect((await failureOf(provider.call(tool, {}, callBy()))).code).toBe('SERVER_PROTOCOL')
    expect(textOf(await provider.call('echo', { q: 1 }, callBy()))).toBe('{"q":1}')
  })

  it('that is larger than the limit stops the server, and the next call starts it again', async () => {
    await using project = await openProject()
    const limits = { resultBytes: 100_000, listBytes: 100_000 }
    const { mcp, provider } = await answering(project, { limits }, { GIANT: '200000' })
    const pid = mcp.servers()[0]?.pid ?? 0
    const failure = await failureOf(provider.call('giant', {}, callBy()))
    expect(failure.code).toBe('SERVER_PROTOCOL')
    expect(failure.message).toContain('100000 bytes')
    await until(() => !isRunning(pid))
    expect(textOf(await provider.call('echo', {}, callBy()))).toBe('{}')
  })
})

/** What is not repeated when its server leaves. */
const write = callBy('ann', { effect: 'write' })

describe('the end of a call that is not known', () => {
  it('is told at once when the server leaves, with its exit code and its last words; the next call restarts it', async () => {
    await using project = await openProject()
    const { mcp, provider } = await answering(project)
    const startedAt = performance.now()
    const failure = await failureOf(provider.call('crash', {}, write))
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    expect(failure).toMatchObject({ code: 'TOOL_OUTCOME_UNKNOWN', data: { exitCode: 7 } })
    expect(failure.message).toContain('segmentation fault')
    expect(mcp.servers()[0]).toMatchObject({ state: 'failing', lastError: { code: 'SERVER_UNAVAILABLE' } })
    expect(textOf(await provider.call('echo', {}, callBy()))).toBe('{}')
    expect((await project.log()).filter((line) => line === 'called crash')).toHaveLength(1)
  })

  it('fails every call that was in flight', async () => {
    await using project = await openProject()
    const { provider } = await answering(project)
    const held = [1, 2, 3].map(() => failureOf(provider.call('hold', {}, write)))
    await until(async () => (await project.log()).filter((line) => line === 'called hold').length === 3)
    await failureOf(provider.call('crash', {}, write))
    expect((await Promise.all(held)).map(({ code }) => code)).toEqual(Array(3).fill('TOOL_OUTCOME_UNKNOWN'))
  })

  it('is over 250 ms after a cancel, and the connection survives', async () => {
    await using project = await openProject()
    const { mcp, provider } = await answering(project)
    const pid = mcp.servers()[0]?.pid
    const cancel = new AbortController()
    const call = failureOf(provider.call('silent', {}, callBy('ann', { signal: cancel.signal })))
    await until(async () => (await project.log()).includes('called silent'))
    const startedAt = performance.now()
    cancel.abort()
    const failure = await call
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(240)
    expect(performance.now() - startedAt).toBeLessThan(1_500)
    expect(failure.code).toBe('TOOL_OUTCOME_UNKNOWN')
    expect(failure.message).toContain('cancelled')
    expect(textOf(await provider.call('echo', {}, callBy()))).toBe('{}')
    expect(mcp.servers()[0]?.pid).toBe(pid)
    expect((await project.log()).filter((line) => line.startsWith('cancelled'))).toEqual(['cancelled cancelled'])
  })

  it('is known after all when the server answers within the grace of a cancel', async () => {
    await using project = await openProject()
    const { provider } = await answering(project)
    const cancel = new AbortController()
    const call = provider.call('polite', {}, callBy('ann', { signal: cancel.signal }))
    await until(async () => (await project.log()).includes('called polite'))
    cancel.abort()
    expect(textOf(await call)).toBe('done anyway')
  })

  it('is told from a cancel when the time is over', async () => {
    await using project = await openProject()
    const { provider } = await answering(project)
    const failure = await failureOf(provider.call('silent', {}, callBy('ann', { timeoutMs: 150 })))
    expect(failure).toMatchObject({ code: 'TOOL_OUTCOME_UNKNOWN', data: { reason: 'SERVER_TIMEOUT' } })
    expect(failure.message).toContain('150 ms')
    expect(await project.log()).toContain('cancelled timed out')
  })
})

describe('progress', () => {
  it('reaches the caller and extends the time', async () => {
    await using project = await openProject()
    const { provider } = await answering(project)
    const seen: unknown[] = []
    const progress = (...step: unknown[]) => void seen.push(step)
    const result = await provider.call('progress', {}, callBy('ann', { timeoutMs: 300, progress }))
    expect(textOf(result)).toBe('finished')
    expect(seen).toEqual([1, 2, 3, 4].map((step) => [step, 4, `step ${step}`]))
  })

  it('does not extend it beyond the total', async () => {
    await using project = await openProject()
    const { provider } = await answering(project, { limits: { maxTotalTimeoutMs: 500 } })
    const failure = await failureOf(provider.call('dawdle', {}, callBy('ann', { timeoutMs: 400 })))
    expect(failure.message).toContain('500 ms')
  })
})

describe('many calls at once', () => {
  it('run eight at a time, and the one after 64 waiting is refused before anything is sent', async () => {
    await using project = await openProject()
    const { provider } = await answering(project)
    const held = Promise.all(Array.from({ length: 8 }, () => failureOf(provider.call('hold', {}, callBy()))))
    await until(async () => (await project.log()).filter((line) => line === 'called hold').length === 8)
    const leave = new AbortController()
    const waiting = Array.from({ length: 64 }, () =>
      failureOf(provider.call('echo', {}, callBy('ann', { signal: leave.signal }))),
    )
    expect((await failureOf(provider.call('echo', {}, callBy()))).code).toBe('BUSY')
    leave.abort()
    expect(new Set((await Promise.all(waiting)).map(({ code }) => code))).toEqual(new Set(['SERVER_UNAVAILABLE']))
    expect(await project.log()).not.toContain('called echo')
    await provider[Symbol.asyncDispose]()
    expect(new Set((await held).map(({ code }) => code))).toEqual(new Set(['TOOL_OUTCOME_UNKNOWN']))
  })

  it('share one start', async () => {
    await using project = await openProject()
    const { mcp, provider } = await answering(project)
    await provider[Symbol.asyncDispose]()
    const starts = async () => (await project.log()).filter((line) => line === 'started').length
    const before = await starts()
    const again = await project.open(mcp, 'a', fixture('answers', { LOG_FILE: project.logFile }))
    await Promise.all([1, 2, 3, 4, 5].map((q) => again.call('echo', { q }, callBy())))
    expect(await starts()).toBe(before + 1)
  })

  it('of two principals run in processes of their own where the operator says so', async () => {
    await using project = await openProject()
    const { mcp } = await answering(project)
    const provider = await project.open(mcp, 'a', fixture('answers', { LOG_FILE: project.logFile }), {
      words: { isolation: 'principal' },
    })
    const before = (await project.log()).length
    for (const id of ['ann', 'bob', 'ann']) await provider.call('echo', {}, callBy(id))
    expect((await project.log()).slice(before).filter((line) => line === 'started')).toHaveLength(2)
  })
})
