import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { type OpenCase, openCaseFolder, openClient, serverIn } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('23')

/** How often the server was asked for its list. */
async function asked({ call }: OpenCase, appId = 'c23'): Promise<number> {
  const outcome = await call(`${appId}__count`)
  return outcome.status === 'ok' ? Number(outcome.text.replace('asked ', '')) : Number.NaN
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe.skipIf(folder === undefined)('a storm of notices that a list has changed', () => {
  it('costs a few lists, and clients hear only of what did change', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c23: serverIn(folder ?? '') }, { onDrift: 'accept' })
    await opened.settled()
    await using face = await openClient(opened)
    let heard = 0
    face.client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      heard += 1
    })
    const before = await asked(opened)
    await opened.call('c23__storm')
    // Longer than the host waits before it lists again.
    await wait(1_500)
    expect((await asked(opened)) - before).toBeLessThanOrEqual(4)
    expect(heard).toBe(0)

    await opened.call('c23__grow')
    await expect.poll(() => heard, { timeout: 10_000, interval: 20 }).toBe(1)
    const { tools } = await face.client.listTools()
    expect(tools.map(({ name }) => name)).toContain('c23__new_1')
    expect(await opened.call('c23__new_1')).toMatchObject({ status: 'ok' })
    await wait(1_000)
    expect(heard).toBe(1)
  }, 30_000)

  it('that the list itself provokes does not go on without end, nor hold up others', async () => {
    await using home = await openCaseFolder()
    const servers = { c23: serverIn(folder ?? '', { MODE: 'loop' }), calm: serverIn(folder ?? '') }
    await using opened = await home.open(servers, { onDrift: 'accept' })
    await opened.settled()
    await opened.call('c23__count')
    const { user, system } = process.cpuUsage()
    const before = await asked(opened)
    const until = performance.now() + 8_000
    while (performance.now() < until) {
      expect(await opened.call('calm__count')).toMatchObject({ status: 'ok' })
      await wait(200)
    }
    // At most one list in five seconds, and one before each call that finds the list to have changed.
    expect((await asked(opened)) - before).toBeLessThanOrEqual(10)
    const used = process.cpuUsage()
    expect((used.user + used.system - user - system) / 8_000_000).toBeLessThan(0.5)
  }, 40_000)
})
