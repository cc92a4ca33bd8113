import { RegisterToolProvidersEvent, type ToolProvider } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { collect, type View } from '../../src/events/collect.ts'
import { createBus } from '../../src/events/create-bus.ts'
import { currentListener } from '../../src/events/current-listener.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { makeLoaded } from '../plugins/make-loaded.ts'

interface Note extends View<RegisterToolProvidersEvent> {
  readonly said: string[]
  closed: boolean
}

function makeNote(plugin: string, signal: AbortSignal): Note {
  const said: string[] = []
  const note: Note = {
    said,
    closed: false,
    announced: () => said,
    close() {
      note.closed = true
    },
    event: {
      plugin,
      hostApi: '1.0.0',
      signal,
      get isClosed() {
        return note.closed
      },
      announce: (provider: ToolProvider) => void said.push(provider.appId ?? plugin),
    },
  }
  return note
}

function setUp() {
  const bus = createBus()
  const clock = createManualClock()
  const plugins = ['a', 'b', 'c'].map((name, order) => makeLoaded(name, order))
  const ask = (asked = plugins) =>
    collect(bus, RegisterToolProvidersEvent, {
      plugins: asked,
      limitMs: 5_000,
      totalMs: 15_000,
      clock,
      makeView: ({ name }, signal) => makeNote(name, signal),
    })
  const on = (plugin: string, listener: (event: RegisterToolProvidersEvent) => void | Promise<void>) =>
    bus.on({ plugin, order: plugins.findIndex(({ name }) => name === plugin) }, RegisterToolProvidersEvent, listener)
  return { bus, clock, plugins, ask, on }
}
const say = (event: RegisterToolProvidersEvent) => event.announce({ kind: 'builtin', tools: [] })

describe('collect', () => {
  it('asks every listener of the plugins, each with a view of its own, and reports by configuration order', async () => {
    const { on, ask } = setUp()
    const views = new Set<RegisterToolProvidersEvent>()
    for (const plugin of ['c', 'a', 'a'])
      on(plugin, (event) => {
        views.add(event)
        say(event)
      })
    const answers = await ask()
    expect(answers.map(({ report }) => report)).toMatchObject(
      ['a', 'a', 'c'].map((plugin) => ({
        plugin,
        event: 'registerToolProviders',
        outcome: 'settled',
        announced: [plugin],
      })),
    )
    expect(views.size).toBe(3)
  })

  it('asks only the plugins it is told to ask', async () => {
    const { on, ask, plugins } = setUp()
    for (const plugin of ['a', 'b']) on(plugin, say)
    expect((await ask(plugins.slice(1))).map(({ plugin }) => plugin.name)).toEqual(['b'])
  })

  it('closes a view as soon as its own listener is over, while others still run', async () => {
    const { on, ask, clock } = setUp()
    const seen: RegisterToolProvidersEvent[] = []
    on('a', (event) => void seen.push(event))
    on('b', async (event) => {
      seen.push(event)
      await clock.sleep(100)
    })
    on('c', () => clock.sleep(1_000))
    const asking = ask()
    expect(seen.map(({ isClosed }) => isClosed)).toEqual([true, false])
    await clock.advance(100)
    expect(seen.map(({ isClosed }) => isClosed)).toEqual([true, true])
    await clock.advance(900)
    await asking
  })

  it('aborts the signal of a listener whose time is over and closes its view', async () => {
    const { on, ask, clock } = setUp()
    let seen: RegisterToolProvidersEvent | undefined
    on('a', (event) => {
      seen = event
      say(event)
      return new Promise<void>(() => {})
    })
    const asking = ask()
    await clock.advance(4_999)
    expect([seen?.signal.aborted, seen?.isClosed]).toEqual([false, false])
    await clock.advance(1)
    expect([seen?.signal.aborted, seen?.isClosed]).toEqual([true, true])
    expect((await asking).map(({ report }) => report)).toMatchObject([
      { outcome: 'timedOut', durationMs: 5_000, announced: [], fault: { causes: [] } },
    ])
  })

  it('reports a throw with its words', async () => {
    const { on, ask } = setUp()
    on('a', () => {
      throw new Error('boom', { cause: new Error('below') })
    })
    expect((await ask()).map(({ report }) => report)).toMatchObject([
      { outcome: 'threw', announced: [], fault: { message: 'boom', causes: ['below'] } },
    ])
  })

  it('lets the host know whose listener runs, until it is over', async () => {
    const { on, ask, clock } = setUp()
    const seen: (string | undefined)[] = []
    on('a', async () => {
      await null
      seen.push(currentListener())
      void clock.sleep(1_000).then(() => seen.push(currentListener()))
    })
    await ask()
    await clock.advance(1_000)
    expect(seen).toEqual(['a', undefined])
  })
})
