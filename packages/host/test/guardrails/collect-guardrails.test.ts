import { type Finding, type Guardrail, RegisterGuardrailsEvent, silentLogger } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { createBus } from '../../src/events/create-bus.ts'
import { collectGuardrails } from '../../src/guardrails/collect-guardrails.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { makeLoaded } from '../plugins/make-loaded.ts'

type Listener = (event: RegisterGuardrailsEvent) => unknown

/** Plugins by name, in the order of the configuration. */
function ask(listeners: Readonly<Record<string, Listener>>, clock = createManualClock(), late: Finding[] = []) {
  const bus = createBus()
  const plugins = Object.keys(listeners).map((name, order) => makeLoaded(name, order))
  for (const { name, order } of plugins)
    bus.on({ plugin: name, order }, RegisterGuardrailsEvent, listeners[name] as (event: unknown) => void)
  return collectGuardrails({
    bus,
    plugins,
    hostApi: '1.2.0',
    limitMs: 5_000,
    totalMs: 15_000,
    clock,
    logger: silentLogger,
    onLateFinding: (finding) => late.push(finding),
  })
}

const rule = (id: string): Guardrail => ({ id, toolResult: () => ({ verdict: 'allow' }) })
const announce =
  (...guardrails: unknown[]): Listener =>
  (event) => {
    for (const guardrail of guardrails) event.announce(guardrail as Guardrail)
  }

describe('R-GOV-30 guardrails of plugins', () => {
  it('come by configuration order, each under the name of its plugin', async () => {
    const { guardrails, findings, listeners } = await ask({
      b: async (event) => {
        await Promise.resolve()
        event.announce(rule('late'))
      },
      a: announce(rule('one'), rule('two')),
    })
    expect(guardrails.map(({ name }) => name)).toEqual(['b/late', 'a/one', 'a/two'])
    expect(listeners.map(({ event, announced }) => [event, announced])).toEqual([
      ['registerGuardrails', ['late']],
      ['registerGuardrails', ['one', 'two']],
    ])
    expect(findings).toEqual([])
  })

  it('are lost by a listener that throws, and no other', async () => {
    const { guardrails, findings } = await ask({
      a: (event) => {
        event.announce(rule('half'))
        throw new TypeError('broken')
      },
      b: announce(rule('whole')),
    })
    expect(guardrails.map(({ name }) => name)).toEqual(['b/whole'])
    expect(findings).toMatchObject([{ code: 'LISTENER_FAILED', about: { plugin: 'a' } }])
    expect(findings[0]?.message).toContain('its guardrails are missing')
  })

  it('are lost by a listener that hangs, which is told what to do, and refused when it comes late', async () => {
    const clock = createManualClock()
    const late: Finding[] = []
    let seen: RegisterGuardrailsEvent | undefined
    const collected = ask(
      {
        a: (event) => {
          seen = event
          event.announce(rule('half'))
          return new Promise(() => {})
        },
      },
      clock,
      late,
    )
    await clock.advance(5_000)
    const { guardrails, findings } = await collected
    expect(guardrails).toEqual([])
    expect(findings).toMatchObject([{ code: 'LISTENER_TIMEOUT' }])
    expect(seen?.isClosed).toBe(true)
    expect(() => seen?.announce(rule('late'))).toThrow('after its listener was over')
    expect(late).toMatchObject([{ code: 'REGISTRATION_CLOSED' }])
  })

  it.each([
    ['no object', 'rule'],
    ['no id', { toolResult: () => {} }],
    ['a strange id', { id: 'Mine!', toolResult: () => {} }],
    ['a stage that is no function', { id: 'mine', output: 'yes' }],
    ['nothing to check', { id: 'mine' }],
    [
      'a throwing getter',
      Object.defineProperty({ id: 'mine' }, 'input', {
        enumerable: true,
        get: () => {
          throw new Error('no')
        },
      }),
    ],
  ])('are refused with %s', async (_what, guardrail) => {
    const { guardrails, findings } = await ask({ a: announce(guardrail) })
    expect(guardrails).toEqual([])
    expect(findings).toMatchObject([{ code: 'GUARDRAIL_INVALID', about: { plugin: 'a' } }])
    expect(findings[0]?.hint).not.toBe('')
  })

  it('are copies: what the author does to the object later changes nothing', async () => {
    const own = { ...rule('mine') } as { id: string; toolResult?: unknown }
    const { guardrails } = await ask({ a: announce(own) })
    own.id = 'other'
    delete own.toolResult
    expect(guardrails[0]?.guardrail.id).toBe('mine')
    expect(guardrails[0]?.guardrail.toolResult).toBeTypeOf('function')
  })
})
