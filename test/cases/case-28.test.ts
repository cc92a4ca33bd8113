import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { localUser } from '@rollcall/host'
import { describe, expect, it } from 'vitest'
import { type OpenCase, openCaseFolder, openClient, serverIn } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('28')
const deadline = { timeout: 10_000, interval: 20 }

/** The server of the case behind a host and its endpoint, and what it writes down. */
async function openCancelled(env: Readonly<Record<string, string>> = {}) {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await openCaseFolder())
  const file = join(home.folder, 'effects.log')
  const opened: OpenCase = stack.use(await home.open({ c28: serverIn(folder ?? '', { ...env, EFFECT_LOG: file }) }))
  await opened.settled()
  const { client } = stack.use(await openClient(opened))
  const log = async (of: string) =>
    (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line.startsWith(`${of} `))
  const owned = stack.move()
  return {
    ...opened,
    client,
    ids: async (of: string) => (await log(of)).map((line) => line.split(' ')[1]).toSorted(),
    pid: () => opened.mcp.servers()[0]?.pid,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

describe.skipIf(folder === undefined)('a cancel of a client at the endpoint', () => {
  it('reaches the server under the ids that it knows, and it stops; the next call is answered', async () => {
    await using opened = await openCancelled()
    const cancel = new AbortController()
    const long = [1, 2].map(() =>
      opened.client.callTool({ name: 'c28__long' }, undefined, { signal: cancel.signal }).catch(String),
    )
    await expect.poll(async () => (await opened.ids('tick')).length, deadline).toBeGreaterThan(2)
    const started = await opened.ids('long')
    const pid = opened.pid()
    expect(started).toHaveLength(2)
    const cancelledAt = performance.now()
    cancel.abort()
    // Twice is harmless.
    cancel.abort()
    expect(await opened.client.callTool({ name: 'c28__quick' })).toMatchObject({ content: [{ text: 'quick answer' }] })
    await Promise.all(long)
    await expect.poll(() => opened.ids('cancelled'), deadline).toEqual(started)
    expect(performance.now() - cancelledAt).toBeLessThan(2_000)
    const ticks = async () => (await opened.ids('tick')).filter((id) => started.includes(id)).length
    const before = await ticks()
    // One more that runs is the clock by which the others have stopped.
    const clock = new AbortController()
    const third = opened.client.callTool({ name: 'c28__long' }, undefined, { signal: clock.signal }).catch(String)
    const all = async () => (await opened.ids('tick')).length
    await expect.poll(async () => (await all()) - (await ticks()), deadline).toBeGreaterThanOrEqual(3)
    expect(await ticks()).toBe(before)
    clock.abort()
    await third
    expect(opened.pid()).toBe(pid)
  })

  it('is over in time for a server that ignores it, whose late answer is nobody else’s', async () => {
    await using opened = await openCancelled({ MODE: 'ignore', TICKS: '20' })
    const pid = opened.pid()
    const cancel = new AbortController()
    const outcome = opened.host.tools.call('c28__long', {}, { principal: localUser, signal: cancel.signal })
    const seen: unknown[] = []
    const fromClient = new AbortController()
    const long = opened.client.callTool({ name: 'c28__long' }, undefined, { signal: fromClient.signal }).then(
      (answer) => seen.push(answer),
      (error: unknown) => seen.push(String(error)),
    )
    await expect.poll(async () => (await opened.ids('long')).length, deadline).toBe(2)
    const cancelledAt = performance.now()
    cancel.abort()
    fromClient.abort()
    const ended = await outcome
    await long
    expect(performance.now() - cancelledAt).toBeLessThan(2_000)
    expect(ended.status).not.toBe('ok')
    seen.push(ended, await opened.client.callTool({ name: 'c28__quick' }))
    expect(seen.at(-1)).toMatchObject({ content: [{ text: 'quick answer' }] })

    // Until both late answers have come.
    await expect.poll(async () => (await opened.ids('tick')).length, deadline).toBe(40)
    seen.push(await opened.client.callTool({ name: 'c28__quick' }))
    seen.push(await Array.fromAsync(opened.store.read(`call/${ended.callId}`)))
    expect(JSON.stringify(seen)).not.toContain('LATE ANSWER')
    expect(JSON.stringify(seen.at(-1))).toContain('cancel')
    expect(JSON.stringify(seen.at(-1))).not.toMatch(/timed out|TIMEOUT/)
    expect(opened.pid()).toBe(pid)
  })

  it('of a call that waits for its place never touches the server', async () => {
    await using opened = await openCancelled()
    const running = new AbortController()
    const calls = Array.from({ length: 8 }, () =>
      opened.host.tools.call('c28__long', {}, { principal: localUser, signal: running.signal }),
    )
    await expect.poll(async () => (await opened.ids('long')).length, deadline).toBe(8)
    const waiting = new AbortController()
    const queued = opened.client.callTool({ name: 'c28__quick' }, undefined, { signal: waiting.signal }).catch(String)
    const alsoQueued = opened.host.tools.call('c28__quick', {}, { principal: localUser, signal: waiting.signal })
    // What is answered after them has found them waiting.
    await opened.client.listTools()
    waiting.abort()
    await queued
    expect((await alsoQueued).status).not.toBe('ok')
    running.abort()
    await Promise.all(calls)
    expect(await opened.client.callTool({ name: 'c28__quick' })).toMatchObject({ content: [{ text: 'quick answer' }] })
    expect(await opened.ids('quick')).toHaveLength(1)
    expect(await opened.ids('cancelled')).toHaveLength(8)
  })
})
