import { describe, expect, it } from 'vitest'
import { openCaseFolder, words } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'
import { startCaseServer } from './start-case-server.ts'

const folder = sharedCase('15')
const made = { status: 'ok', text: 'made it ✓' }

describe.skipIf(folder === undefined)('answers as a stream of events', () => {
  it('are read with CRLF, comments and several lines of data; one that ends early fails at once, and is sent once', async () => {
    await using server = await startCaseServer(folder ?? '')
    await using home = await openCaseFolder()
    const providers = { c15: { ...words, server: { url: `${server.origin}/mcp` } } }
    await using opened = await home.open(providers, { limits: { callTimeoutMs: 60_000 } })
    await opened.settled()

    expect(await opened.call('c15__slow')).toMatchObject(made)
    const startedAt = performance.now()
    const cut = await opened.call('c15__cut')
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    expect(cut.status).not.toBe('ok')
    expect(cut.text).toContain('closed before an answer came')
    expect(await opened.call('c15__slow')).toMatchObject(made)
    expect(await statsOf(server.origin)).toMatchObject({ cut: 1, slow: 2 })
    expect(opened.mcp.servers()[0]?.state).toBe('ready')
  }, 30_000)

  it('that never begin end with the time of their call, which the server is told, and disturb no other', async () => {
    await using server = await startCaseServer(folder ?? '')
    await using home = await openCaseFolder()
    const providers = { c15: { ...words, server: { url: `${server.origin}/mcp` } } }
    await using opened = await home.open(providers, { limits: { callTimeoutMs: 5_000 } })
    await opened.settled()

    const [mute, slow] = await Promise.all([opened.call('c15__mute'), opened.call('c15__slow')])
    expect(mute.status).not.toBe('ok')
    expect(mute.text).toMatch(/within 5\d{3} ms/)
    expect(slow).toMatchObject(made)
    // The server is told, and what it would have answered on is closed.
    const stats = () => statsOf(server.origin)
    await expect.poll(stats, { timeout: 2_000 }).toMatchObject({ cancelled: 1, muteClosed: 1, mute: 1 })
    expect(opened.mcp.servers()[0]?.state).toBe('ready')
  }, 30_000)
})

async function statsOf(origin: string): Promise<unknown> {
  return (await fetch(`${origin}/stats`)).json()
}
