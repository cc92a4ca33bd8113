import { RollcallError } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import type { Claim } from '../../src/discovery/claim.ts'
import { listTools } from '../../src/providers/list-tools.ts'
import { openBuiltin } from '../../src/providers/open-builtin.ts'
import type { Listing, OpenProvider } from '../../src/providers/provider.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'

function claim(appId: string): Claim {
  return {
    appId,
    plugin: `${appId}-plugin`,
    version: '1.0.0',
    source: 'announced',
    order: 0,
    provider: { kind: 'mcp', server: { command: 'x' } },
    from: appId,
  }
}

function provider(appId: string, list: (signal: AbortSignal) => unknown): { claim: Claim; open: OpenProvider } {
  const open: OpenProvider = {
    list: async (signal) => (await list(signal)) as Listing,
    call: async () => ({}),
    async [Symbol.asyncDispose]() {},
  }
  return { claim: claim(appId), open }
}

const fine = (appId: string) =>
  provider(appId, () => ({ tools: [{ name: appId }], holds: [], findings: [], detail: 'here' }))

describe('listTools', () => {
  it('asks all at once and answers in the order of the roll', async () => {
    const clock = createManualClock()
    const waiting: (() => void)[] = []
    const slow = (appId: string) =>
      provider(
        appId,
        () => new Promise((resolve) => waiting.push(() => resolve({ tools: [], holds: [], findings: [], detail: '' }))),
      )
    const pending = listTools([slow('one'), slow('two'), slow('three')], { clock })
    await clock.advance(25)
    expect(waiting).toHaveLength(3)
    for (const answer of waiting.reverse()) answer()
    expect((await pending).map(({ claim: { appId }, durationMs }) => [appId, durationMs])).toEqual([
      ['one', 25],
      ['two', 25],
      ['three', 25],
    ])
  })

  it.each<[string, unknown, RegExp]>([
    ['null', null, /no list: received null/],
    ['nothing', undefined, /no list: received undefined/],
    ['tools that are null', { tools: null }, /no list: received null/],
    ['tools that are no list', { tools: {} }, /no list: received object/],
  ])('R-DISC-08 costs a provider that lists %s its own tools only', async (_, listing, message) => {
    const [one, bad, two] = await listTools([fine('one'), provider('bad', () => listing), fine('two')], {
      clock: createManualClock(),
    })
    expect(one?.listing?.tools).toEqual([{ name: 'one' }])
    expect(two?.listing?.tools).toEqual([{ name: 'two' }])
    expect(bad?.listing).toBe(undefined)
    expect(bad?.failure).toMatchObject({
      code: 'PROVIDER_LIST_FAILED',
      severity: 'error',
      phase: 'list',
      about: { plugin: 'bad-plugin', appId: 'bad' },
    })
    expect(bad?.failure?.message).toMatch(message)
  })

  it('R-DISC-07 costs a provider whose function throws its own tools only', async () => {
    const own = {
      ...claim('bad'),
      provider: {
        kind: 'builtin' as const,
        tools: () => {
          throw new Error('no network', { cause: new Error('cable') })
        },
      },
    }
    const [bad, one] = await listTools([{ claim: own, open: openBuiltin(own) }, fine('one')], {
      clock: createManualClock(),
    })
    expect(one?.listing).toBeDefined()
    expect(bad?.failure).toMatchObject({ code: 'PROVIDER_LIST_FAILED', causes: ['cable'] })
    expect(bad?.failure?.message).toMatch(/bad failed: no network/)
    const placed = { ...own, folder: import.meta.dirname }
    const [located] = await listTools([{ claim: placed, open: openBuiltin(own) }], { clock: createManualClock() })
    expect(located?.failure?.causes).toEqual(['cable', expect.stringMatching(/^at list-tools\.test\.ts:\d+:\d+$/)])
  })

  it('R-DISC-08 gives up one that hangs, tells it so, and ignores what it says later', async () => {
    const clock = createManualClock()
    let stopped: AbortSignal | undefined
    let answer: (listing: unknown) => void = () => {}
    const hanging = provider('bad', (signal) => {
      stopped = signal
      return new Promise((resolve) => {
        answer = resolve
      })
    })
    const pending = listTools([hanging, fine('one')], { clock })
    await clock.advance(10_000)
    const [bad, one] = await pending
    answer({ tools: [{ name: 'late' }] })
    expect(stopped?.aborted).toBe(true)
    expect(one?.listing).toBeDefined()
    expect(bad).toMatchObject({ durationMs: 10_000, failure: { code: 'PROVIDER_LIST_FAILED' } })
    expect(bad?.failure?.message).toMatch(/10,000 ms/)
  })

  it('lets a provider that knows what is wrong give its own code and hint', async () => {
    const knows = provider('bad', () => {
      throw new RollcallError('SERVER_PROTOCOL', 'It speaks Gopher.', { hint: 'Update it.' })
    })
    const [bad] = await listTools([knows], { clock: createManualClock() })
    expect(bad?.failure).toMatchObject({ code: 'SERVER_PROTOCOL', hint: 'Update it.' })
  })

  it('ends with its signal', async () => {
    const stop = new AbortController()
    const pending = listTools([provider('slow', () => new Promise(() => {}))], {
      clock: createManualClock(),
      signal: stop.signal,
    })
    stop.abort()
    expect((await pending)[0]?.failure?.message).toMatch(/stopped/)
  })

  it('fills in what a listing leaves out', async () => {
    const [one] = await listTools([provider('one', () => ({ tools: [] }))], { clock: createManualClock() })
    expect(one?.listing).toEqual({ tools: [], holds: [], findings: [], detail: '' })
  })
})
