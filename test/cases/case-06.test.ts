import { describe, expect, it } from 'vitest'
import { openCaseFolder, serverIn } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('06')
const quiet = sharedCase('09')

describe.skipIf(folder === undefined || quiet === undefined)('noise and half characters on standard output', () => {
  it('disturb neither their own server nor the one beside it', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({
      c06: serverIn(folder ?? ''),
      quiet: serverIn(quiet ?? '', { INIT_MS: '0' }),
    })
    await opened.settled()
    const state = () => opened.host.report().providers.map(({ appId, state }) => `${appId} ${state}`)
    expect(state()).toEqual(expect.arrayContaining(['c06 active', 'quiet active']))
    for (let call = 0; call < 3; call += 1) {
      const { text } = await opened.call('c06__say')
      expect(text).toBe('zażółć 漢字 🎉')
    }
    expect(await opened.call('quiet__late')).toMatchObject({ status: 'ok', text: 'late answer' })
    expect(state()).toEqual(expect.arrayContaining(['c06 active', 'quiet active']))
    const status = opened.mcp.servers().find(({ appId }) => appId === 'c06')
    expect(status?.state).toBe('ready')
    // Nine lines before it begins, blank ones aside, and one before each answer.
    expect(status?.noiseLines).toBeGreaterThanOrEqual(9)
  })
})
