import { describe, expect, it } from 'vitest'
import { localClient } from '../../src/gate/local-user.ts'
import type { ConfiguredRule } from '../../src/gate/policy.ts'
import type { HostOptions } from '../../src/host-options.ts'
import type { ReplayedCall } from '../../src/report/replay.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { asLocal, hostWith } from '../invoke/host-with.ts'
import { pluginWith, readingTool, writingTool } from '../plugins-in-code.ts'

const tools = [readingTool('look', { dataClass: 'sourceCode' }), writingTool('write', [], { approval: 'notNeeded' })]

/** Makes calls by one configuration and replays them by another. */
async function replayed(change: HostOptions, before: HostOptions = {}): Promise<readonly ReplayedCall[]> {
  const store = createMemoryStore()
  {
    await using app = await hostWith(tools, { store, ...before })
    await app.host.tools.call('app__look', { text: 'x' }, asLocal)
    await app.host.tools.call('app__write', { text: 'boss' }, asLocal)
  }
  await using later = await hostWith(tools, { store, ...change })
  return await Array.fromAsync(later.host.tools.replay())
}

const verdicts = async (change: HostOptions, before?: HostOptions) =>
  (await replayed(change, before)).map(({ before, now }) => `${before} → ${now}`)
const rule = (when: ConfiguredRule['when'], then: ConfiguredRule['then']): HostOptions => ({ rules: [{ when, then }] })

describe('recorded calls under another configuration', () => {
  it('R-GOV-17 end as they did where nothing is another', async () => {
    expect(await verdicts({})).toEqual(['allow → allow', 'allow → allow'])
  })

  it('R-GOV-17 end otherwise by a rule, a zone, a profile or a tool that is gone, and say why', async () => {
    const [, denied] = await replayed(rule({ effect: 'write' }, 'deny'))
    expect(denied).toMatchObject({ tool: 'app__write', before: 'allow', now: 'deny', why: 'rules[0]' })
    expect(await verdicts({ profiles: [{ name: 'direct', zone: 'externalGlobal' }] })).toEqual([
      'allow → deny',
      'allow → allow',
    ])
    expect(await verdicts({ plugins: [pluginWith('other', readingTool('x'))] })).toEqual([
      'allow → deny',
      'allow → deny',
    ])
  })

  it('R-GOV-17 can not be told where it depends on arguments, which are not kept; and can where it does not', async () => {
    const args = { properties: { text: { const: 'boss' } }, required: ['text'] }
    const [, open] = await replayed(rule({ tool: 'app__write', args }, 'deny'))
    expect(open).toMatchObject({ now: 'undecidable', why: expect.stringContaining('its arguments') })
    const twice: HostOptions = {
      rules: [
        { when: { args }, then: 'ask' },
        { when: { tool: 'app__*' }, then: 'deny' },
      ],
    }
    expect(await verdicts(twice)).toEqual(['allow → deny', 'allow → deny'])
  })

  it('R-GOV-17 know what was read where that was looked at, and do not guess where it was not', async () => {
    const tainted = rule({ tool: 'app__write', taint: 'sourceCode' }, 'deny')
    expect((await verdicts(tainted))[1]).toBe('allow → undecidable')
    const looked = rule({ tool: 'none', taint: 'secretAdjacent' }, 'deny')
    expect((await verdicts(tainted, looked))[1]).toBe('allow → deny')
  })

  it('R-GOV-17 have a principal of whom only the id is known', async () => {
    const store = createMemoryStore()
    {
      await using app = await hostWith(tools, { store })
      await app.host.tools.call('app__look', {}, { principal: localClient })
    }
    const admin = [readingTool('look', { adminOnly: true })]
    await using later = await hostWith(admin, { store })
    expect(await Array.fromAsync(later.host.tools.replay())).toMatchObject([
      { now: 'undecidable', why: expect.stringContaining('administrates') },
    ])
    expect(await Array.fromAsync(later.host.tools.replay(Date.now() + 60_000))).toEqual([])
  })
})
