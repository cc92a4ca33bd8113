import {
  type Finding,
  RegisterToolProvidersEvent,
  type ServerDeclaration,
  silentLogger,
  type ToolProvider,
} from '@rollcall/plugin'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collectAnnounced } from '../../src/discovery/collect-announced.ts'
import { createBus } from '../../src/events/create-bus.ts'
import type { LoadedPlugin } from '../../src/plugins/loaded-plugin.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { systemClock } from '../../src/ports/system-clock.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { makeLoaded } from '../plugins/make-loaded.ts'
import { readingTool } from '../plugins-in-code.ts'

type Listener = (event: RegisterToolProvidersEvent) => unknown
type Listeners = Readonly<Record<string, Listener | readonly Listener[]>>

/** Plugins by name, in the order of the configuration, with their listeners. */
function ask(
  listeners: Listeners,
  { clock = systemClock as Clock, change = {} as Partial<LoadedPlugin>, onLateFinding = (_: Finding) => {} } = {},
) {
  const bus = createBus()
  const plugins = Object.keys(listeners).map((name, order) => makeLoaded(name, order, undefined, change))
  for (const { name, order } of plugins)
    for (const listener of [listeners[name] ?? []].flat())
      bus.on(
        { plugin: name, order },
        RegisterToolProvidersEvent,
        listener as (event: RegisterToolProvidersEvent) => void,
      )
  return collectAnnounced({
    bus,
    plugins,
    hostApi: '1.2.0',
    limitMs: 5_000,
    totalMs: 15_000,
    clock,
    logger: silentLogger,
    onLateFinding,
  })
}

const builtin: ToolProvider = { kind: 'builtin', tools: [] }
const announce: Listener = (event) => event.announce(builtin)
const under =
  (appId: string): Listener =>
  (event) =>
    event.announce({ ...builtin, appId })
const mcp =
  (server: unknown): Listener =>
  (event) =>
    event.announce({ kind: 'mcp', server: server as ServerDeclaration })
const ids = ({ announcements }: Awaited<ReturnType<typeof ask>>) => announcements.map(({ appId }) => appId)
const codes = (findings: readonly Finding[]) => findings.map(({ code, about }) => [code, about.plugin])

describe('collectAnnounced', () => {
  it('gives what each plugin announced, under its first appId by default, stamped with the plugin', async () => {
    const change = { appIds: ['weather', 'climate'] }
    const result = await ask({ pack: [announce, under('Climate')] }, { change })
    expect(result.announcements).toMatchObject([
      { appId: 'weather', plugin: { name: 'pack', order: 0 }, provider: { kind: 'builtin', appId: 'weather' } },
      { appId: 'climate', plugin: { name: 'pack' } },
    ])
    expect(result.findings).toEqual([])
    expect(result.failures).toEqual([])
    expect(result.listeners.map(({ announced }) => announced)).toEqual([['weather'], ['climate']])
  })

  it('shows a listener a frozen view that knows the plugin and the host, and nothing else', async () => {
    let seen: RegisterToolProvidersEvent | undefined
    await ask({
      a: (event) => {
        seen = event
      },
    })
    expect(seen).toMatchObject({ plugin: 'a', hostApi: '1.2.0', isClosed: true })
    expect(seen?.signal).toBeInstanceOf(AbortSignal)
    expect(Object.keys(seen ?? {}).toSorted()).toEqual(['announce', 'hostApi', 'isClosed', 'plugin', 'signal'])
    expect(() => Object.assign(seen ?? {}, { plugin: 'b' })).toThrow(TypeError)
  })

  it('keeps what was announced, whatever its author does to it afterwards', async () => {
    const tools = [readingTool('one')]
    const server = { command: 'node', args: ['server.mjs'] }
    const { announcements } = await ask({
      a: (event) => {
        const provider = { kind: 'builtin', tools } as const
        event.announce(provider)
        Object.assign(provider, { kind: 'mcp', appId: 'other' })
        tools.push(readingTool('two'))
      },
      b: (event) => {
        event.announce({ kind: 'mcp', server })
        server.args.push('--evil')
      },
    })
    expect(announcements.map(({ provider }) => provider)).toMatchObject([
      { kind: 'builtin', appId: 'a', tools: [{ name: 'one' }] },
      { kind: 'mcp', server: { command: 'node', args: ['server.mjs'] } },
    ])
    expect(announcements.every(({ provider }) => Object.isFrozen(provider))).toBe(true)
  })

  it.each<[string, Listener]>([
    [
      'throws',
      () => {
        throw new Error('boom')
      },
    ],
    [
      'throws null',
      () => {
        throw null
      },
    ],
    [
      'R-DISC-05 rejects',
      async () => {
        await null
        throw new Error('boom')
      },
    ],
  ])('R-DISC-03 a listener that %s leaves every other plugin, before and after it, complete', async (_, bad) => {
    for (const listeners of [
      { bad, a: announce, b: announce },
      { a: announce, bad, b: announce },
      { a: announce, b: announce, bad },
    ]) {
      const result = await ask(listeners)
      expect(ids(result)).toEqual(['a', 'b'])
      expect(result.failures).toMatchObject([
        {
          name: 'bad',
          state: 'failed',
          finding: { code: 'LISTENER_FAILED', migration: 'MIG005', phase: 'announce', severity: 'error' },
        },
      ])
      expect(result.failures[0]?.finding.message).toMatch(/^bad: its listener failed, .*(boom|threw null)$/)
    }
  })

  it('R-DISC-04 a listener that throws after announcing has it discarded and reported', async () => {
    const bad: Listener = (event) => {
      event.announce(builtin)
      throw new Error('boom after')
    }
    const result = await ask({ bad, good: announce })
    expect(ids(result)).toEqual(['good'])
    expect(result.failures.map(({ finding }) => finding)).toMatchObject([{ code: 'LISTENER_FAILED' }])
    expect(result.listeners[0]).toMatchObject({ outcome: 'threw', announced: [] })
  })

  it('discards of a plugin with two listeners what the failing one announced, and reports without failing the plugin', async () => {
    const bad: Listener = async (event) => {
      event.announce({ ...builtin, appId: 'second' })
      throw new Error('boom')
    }
    const result = await ask({ pack: [under('first'), bad] }, { change: { appIds: ['first', 'second'] } })
    expect(ids(result)).toEqual(['first'])
    expect(codes(result.findings)).toEqual([['LISTENER_FAILED', 'pack']])
    expect(result.failures).toEqual([])
  })

  it('R-DISC-06 a listener that never settles ends with its limit, the others stand, a late announce is refused', async () => {
    const clock = createManualClock()
    const late: Finding[] = []
    const outcome = Promise.withResolvers<unknown>()
    const hanging: Listener = async (event) => {
      event.announce(builtin)
      await clock.sleep(6_000)
      try {
        event.announce(builtin)
      } catch (error) {
        outcome.resolve(error)
        event.announce(builtin)
      }
    }
    const slow: Listener = (event) => clock.sleep(1_500).then(() => event.announce(builtin))
    const asking = ask(
      { hanging, slow, good: announce },
      { clock, onLateFinding: (finding) => void late.push(finding) },
    )
    await clock.advance(5_000)
    const result = await asking
    expect(ids(result)).toEqual(['slow', 'good'])
    expect(result.failures).toMatchObject([
      {
        name: 'hanging',
        durationMs: 5_000,
        finding: {
          code: 'LISTENER_TIMEOUT',
          message: "hanging: its listener didn't finish within 5 s, so its tools are missing.",
        },
      },
    ])
    expect(late).toEqual([])
    await clock.advance(1_000)
    expect(await outcome.promise).toMatchObject({ code: 'REGISTRATION_CLOSED' })
    expect(late).toMatchObject([
      { code: 'REGISTRATION_CLOSED', severity: 'warn', migration: 'MIG013', about: { plugin: 'hanging' } },
    ])
  })

  it('reports an announcement after the listener settled, while others are still asked', async () => {
    const clock = createManualClock()
    const hasty: Listener = (event) => {
      void clock
        .sleep(10)
        .then(() => event.announce(builtin))
        .catch(() => {})
    }
    const asking = ask({ hasty, slow: () => clock.sleep(100) }, { clock, onLateFinding: () => expect.unreachable() })
    await clock.advance(100)
    const result = await asking
    expect(ids(result)).toEqual([])
    expect(codes(result.findings)).toEqual([['REGISTRATION_CLOSED', 'hasty']])
    expect(result.failures).toEqual([])
  })

  it('R-DISC-12 a plugin that announces under the appId of another is rejected, the other is not touched', async () => {
    const result = await ask({ a: announce, b: [under('a')], c: [under('a'), announce] })
    expect(ids(result)).toEqual(['a', 'c'])
    expect(result.failures).toMatchObject([
      {
        name: 'b',
        state: 'rejected',
        finding: { code: 'PROVIDER_FOREIGN', migration: 'MIG006', about: { plugin: 'b', appId: 'a' } },
      },
    ])
    expect(codes(result.findings)).toEqual([['PROVIDER_FOREIGN', 'c']])
  })

  it.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /undefined is no provider/],
    ['a text', 'tools', /"tools" is no provider/],
    ['an unknown kind', { kind: 'http', tools: [] }, /its kind is "http"/],
    ['no tools', { kind: 'builtin' }, /its tools are undefined/],
    ['tools that are an object', { kind: 'builtin', tools: {} }, /its tools are of type object/],
    ['a bad appId', { kind: 'builtin', appId: 'A b', tools: [] }, /"A b" is no appId/],
    ['an appId that is no text', { kind: 'builtin', appId: 7, tools: [] }, /of type number is no appId/],
    ['no server', { kind: 'mcp' }, /server is missing|server must be/],
    ['a server without launch', { kind: 'mcp', server: {} }, /neither "command" nor "url"/],
    [
      'a server with two launches',
      { kind: 'mcp', server: { command: 'x', url: 'http://127.0.0.1/' } },
      /both "command" and "url"/,
    ],
    ['arguments without a command', { kind: 'mcp', server: { url: 'http://127.0.0.1/', args: [] } }, /has "args"/],
    ['a command that is no text', { kind: 'mcp', server: { command: ['node'] } }, /server\.command must be/],
    ['an unknown key of a server', { kind: 'mcp', server: { command: 'x', shell: true } }, /server\.shell unknown key/],
    ['a function in a server', { kind: 'mcp', server: { command: 'x', env: { A: () => 'x' } } }, /can't be read/],
    [
      'an unknown suggestion',
      { kind: 'mcp', server: { command: 'x' }, suggests: { effect: 'none' } },
      /suggests\.effect/,
    ],
    [
      'a throwing getter',
      {
        get kind(): never {
          throw new Error('gotcha')
        },
      },
      /gotcha/,
    ],
  ])('tells an author who announces %s, and reports it once', async (_, provider, message) => {
    const bad: Listener = (event) => event.announce(provider as ToolProvider)
    const result = await ask({ bad, good: announce })
    expect(ids(result)).toEqual(['good'])
    expect(result.failures).toMatchObject([
      { name: 'bad', finding: { code: 'PROVIDER_INVALID', message: expect.stringMatching(message) } },
    ])
    expect(result.findings).toEqual([])
  })

  it('keeps the rest of a listener that caught the refusal of one provider', async () => {
    const careful: Listener = (event) => {
      try {
        event.announce({ kind: 'builtin' } as unknown as ToolProvider)
      } catch {
        event.announce(builtin)
      }
    }
    const result = await ask({ careful })
    expect(ids(result)).toEqual(['careful'])
    expect(codes(result.findings)).toEqual([['PROVIDER_INVALID', 'careful']])
  })

  it('shows no secret of a refused server', async () => {
    const result = await ask({
      a: mcp({ url: 'https://user:hunter2@127.0.0.1/' }),
      b: mcp({ command: 'x', env: { TOKEN: ['hunter2'] } }),
    })
    expect(result.failures).toHaveLength(2)
    expect(JSON.stringify(result)).not.toContain('hunter2')
  })

  it('takes a plugin without a listener, or that announces nothing, for no failure', async () => {
    const result = await ask({ silent: [], empty: () => {} })
    expect(result).toMatchObject({
      announcements: [],
      findings: [],
      failures: [],
      listeners: [{ plugin: 'empty', outcome: 'settled', announced: [] }],
    })
  })

  it('R-DISC-26 listeners that settle in random order give the same announcements and failures', async () => {
    const kinds = ['announces', 'throws', 'hangs', 'foreign', 'silent'] as const
    const plugin = fc.record({ kind: fc.constantFrom(...kinds), delaysMs: fc.tuple(fc.nat(4_000), fc.nat(4_000)) })
    const listenerOf =
      (kind: (typeof kinds)[number], delayMs: number, clock: Clock): Listener =>
      async (event) => {
        if (delayMs % 2 === 0) event.announce(builtin)
        await clock.sleep(delayMs)
        if (delayMs % 2 === 1) event.announce(builtin)
        if (kind === 'throws') throw new Error('boom')
        if (kind === 'hangs') await new Promise(() => {})
        if (kind === 'foreign') event.announce({ ...builtin, appId: 'elsewhere' })
      }
    const run = async (
      plugins: readonly { kind: (typeof kinds)[number]; delaysMs: readonly [number, number] }[],
      turn: 0 | 1,
    ) => {
      const clock = createManualClock()
      const listeners = plugins.map(({ kind, delaysMs }, index): [string, Listener | readonly Listener[]] => [
        `p${index}`,
        kind === 'silent' ? [] : listenerOf(kind, delaysMs[turn], clock),
      ])
      const asking = ask(Object.fromEntries(listeners), { clock })
      await clock.advance(5_000)
      const result = await asking
      return {
        ids: ids(result),
        failures: result.failures.map(({ name, finding }) => [name, finding.code]),
        findings: codes(result.findings),
      }
    }
    await fc.assert(
      fc.asyncProperty(fc.array(plugin, { maxLength: 8 }), async (plugins) => {
        const first = await run(plugins, 0)
        expect(await run(plugins, 1)).toEqual(first)
        const standing = plugins.flatMap(({ kind }, index) =>
          kind === 'announces' || kind === 'foreign' ? [`p${index}`] : [],
        )
        expect(first.ids).toEqual(standing)
      }),
      { numRuns: 40 },
    )
  })
})
