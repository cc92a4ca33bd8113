import { describe, expect, it } from 'vitest'
import { makePackages } from './make-packages.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('17')
const pluginTimeoutMs = 3_000
/** What a provider may take to list its tools. */
const listTimeoutMs = 10_000

describe.skipIf(folder === undefined)('a listener, or a list, that never settles', () => {
  it('R-DISC-06 R-DISC-08 costs its own tools, and no more than its own time', async () => {
    const plugins = ['q-hang', 'q-listhang', 'q-slow', 'q-zgood']
    await using project = await makePackages(folder ?? '', { plugins, pluginTimeoutMs })
    const startedAt = performance.now()
    const [listed, good, slow] = await Promise.all([
      project.rollcall('plugins', '--json'),
      project.rollcall('call', 'q-zgood__hi'),
      project.rollcall('call', 'q-slow__hi'),
    ])
    // The commands ended although q-hang keeps a timer.
    expect(performance.now() - startedAt).toBeLessThan(pluginTimeoutMs + listTimeoutMs + 6_000)
    expect([good.stdout, slow.stdout]).toEqual(['hi from q-zgood\n', 'hi from q-slow\n'])
    const { providers } = JSON.parse(listed.stdout)
    const stateOf = (id: string) => providers.find(({ appId }: { appId: string }) => appId === id)
    expect(stateOf('q-zgood')).toMatchObject({ state: 'active', tools: 1 })
    expect(stateOf('q-slow')).toMatchObject({ state: 'active', tools: 1 })
    expect(stateOf('q-hang')).toMatchObject({ state: 'failed', code: 'LISTENER_TIMEOUT' })
    expect(stateOf('q-hang').message).toMatch(/q-hang.*3,?000 ms|q-hang.*3 s/)
    expect(stateOf('q-listhang')).toMatchObject({ state: 'failed', phase: 'list' })
    expect(stateOf('q-listhang').message).toMatch(/q-listhang.*10,?000 ms|q-listhang.*10 s/)
  })
})
