import { describe, expect, it } from 'vitest'
import { isRunning } from '../e2e/processes.ts'
import { type OpenCase, openCaseFolder, serversIn } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('09')
// What counts is the order of these times: far enough apart for a machine that is busy with other things.
const connectTimeoutMs = 10_000
const slowly = { slow: { INIT_MS: '6000' } }

const nameOf = ({ appId }: { readonly appId: string }) => appId
const offered = ({ host }: OpenCase) => host.tools.all().map(({ name }) => name)
const providerOf = ({ host }: OpenCase, id: string) => host.report().providers.find(({ appId }) => appId === id)

describe.skipIf(folder === undefined)('a slow server and a silent one', () => {
  it('hold up neither the start nor the quick one, and the silent one fails within its own limit', async () => {
    await using home = await openCaseFolder()
    const servers = await serversIn(folder ?? '', slowly)
    const startedAt = performance.now()
    await using opened = await home.open(servers, { limits: { connectTimeoutMs } })
    expect(performance.now() - startedAt).toBeLessThan(3_000)

    await expect.poll(() => offered(opened), { timeout: 5_500, interval: 10 }).toContain('quick__late')
    expect(await opened.call('quick__late')).toMatchObject({ status: 'ok', text: 'late answer' })
    expect(offered(opened)).not.toContain('slow__late')
    expect(providerOf(opened, 'silent')?.from).toMatch(/starting$/)
    const pid = opened.mcp.servers().find((server) => nameOf(server) === 'silent')?.pid ?? 0
    expect(isRunning(pid)).toBe(true)

    await expect.poll(() => offered(opened), { timeout: 15_000, interval: 10 }).toContain('slow__late')
    await opened.settled()
    const silent = providerOf(opened, 'silent')
    expect(silent).toMatchObject({ state: 'failed', phase: 'list' })
    expect(silent?.message).toMatch(/10,?000 ms/)
    expect(silent?.hint).not.toBe('')
    expect(isRunning(pid)).toBe(false)
    expect(await opened.call('slow__late')).toMatchObject({ status: 'ok', text: 'late answer' })
  })

  it('have each a limit of their own, however many they are', async () => {
    await using home = await openCaseFolder()
    const { silent } = await serversIn(folder ?? '')
    const three = Object.fromEntries(['one', 'two', 'three'].map((id) => [id, silent ?? {}]))
    const startedAt = performance.now()
    await using opened = await home.open(three, { limits: { connectTimeoutMs: 700 } })
    await opened.settled()
    expect(performance.now() - startedAt).toBeLessThan(3 * 700)
    const { providers } = opened.host.report()
    expect(providers.filter(({ state }) => state === 'failed').map(nameOf)).toHaveLength(3)
  })

  it('do not keep the host from closing', async () => {
    await using home = await openCaseFolder()
    const opened = await home.open(await serversIn(folder ?? ''))
    const pids = () => opened.mcp.servers().flatMap(({ pid }) => pid ?? [])
    await expect.poll(() => pids().length, { interval: 10 }).toBe(3)
    const started = pids()
    await opened[Symbol.asyncDispose]()
    expect(started.filter(isRunning)).toEqual([])
  })
})
