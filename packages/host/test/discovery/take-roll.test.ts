import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Claim } from '../../src/discovery/claim.ts'
import { hostClaim } from '../../src/discovery/host-claim.ts'
import { type Claims, takeRoll } from '../../src/discovery/take-roll.ts'
import { reservedAppIds } from '../../src/plugins/reserved-app-ids.ts'
import { makeClaim } from './make-claim.ts'

const none: Claims = { host: [], configured: [], announced: [], legacy: [], superseded: [] }
const names = (claims: readonly Claim[]) => claims.map(({ appId, plugin, source }) => `${appId} ${plugin} ${source}`)

describe('takeRoll', () => {
  it('lists one winner an appId by configuration order, the host last', () => {
    const roll = takeRoll({
      host: [hostClaim([], '0.1.0')],
      configured: [makeClaim({ appId: 'memory', source: 'configured', order: -1 })],
      announced: [
        makeClaim({ appId: 'weather', source: 'announced', order: 2 }),
        makeClaim({ appId: 'system', source: 'announced', order: 0 }),
      ],
      legacy: [makeClaim({ appId: 'notes', source: 'legacy', order: 1 })],
      superseded: [],
    })
    expect(roll.winners.map(({ appId }) => appId)).toEqual(['memory', 'system', 'notes', 'weather', 'rollcall'])
    expect(roll.losers).toEqual([])
  })

  it('R-DISC-10 two plugins claim one appId: the first by configuration wins and the finding names both', () => {
    const first = makeClaim({ appId: 'weather', source: 'announced', plugin: '@acme/rain', order: 1 })
    const second = makeClaim({ appId: 'weather', source: 'announced', plugin: '@acme/sun', from: './sun', order: 2 })
    for (const announced of [
      [first, second],
      [second, first],
    ]) {
      const roll = takeRoll({ ...none, announced })
      expect(roll.winners).toEqual([first])
      expect(roll.losers).toMatchObject([
        {
          claim: second,
          state: 'skipped',
          finding: {
            code: 'PROVIDER_DUPLICATE',
            migration: 'MIG015',
            about: { plugin: '@acme/sun', appId: 'weather' },
            phase: 'dedupe',
          },
        },
      ])
      const message = roll.losers[0]?.finding.message
      expect(message).toContain('@acme/sun (announced, ./sun)')
      expect(message).toContain('@acme/rain (announced)')
    }
  })

  it('R-DISC-11 appIds that differ only in case are one', () => {
    const loud = makeClaim({ appId: 'Foo', source: 'announced', plugin: 'loud', order: 0 })
    const quiet = makeClaim({ appId: 'foo', source: 'announced', plugin: 'quiet', order: 1 })
    const roll = takeRoll({ ...none, announced: [loud, quiet] })
    expect(roll.winners).toEqual([{ ...loud, appId: 'foo' }])
    expect(roll.losers).toMatchObject([
      { claim: quiet, state: 'skipped', finding: { code: 'PROVIDER_DUPLICATE', migration: 'MIG008' } },
    ])
    expect(roll.losers[0]?.finding.message).toContain('"Foo"')
  })

  it('takes composed and decomposed characters for the same', () => {
    const announced = ['caf\u00e9', 'cafe\u0301'].map((appId, order) =>
      makeClaim({ appId, source: 'announced', plugin: `p${order}`, order }),
    )
    expect(takeRoll({ ...none, announced }).winners).toHaveLength(1)
  })

  it.each([...reservedAppIds, 'RollCall'])('R-DISC-13 a plugin that claims the reserved %s is rejected', (appId) => {
    const sources = [
      { announced: [makeClaim({ appId, source: 'announced' })] },
      { legacy: [makeClaim({ appId, source: 'legacy' })] },
      { configured: [makeClaim({ appId, source: 'configured', from: `providers.${appId}` })] },
    ]
    for (const claims of sources) {
      const roll = takeRoll({ ...none, ...claims })
      expect(roll.winners).toEqual([])
      expect(roll.losers).toMatchObject([
        { state: 'rejected', finding: { code: 'PROVIDER_RESERVED', migration: 'MIG007', severity: 'error' } },
      ])
    }
  })

  it('lets the host hold what is reserved for it', () => {
    const claim = hostClaim([], '0.1.0')
    const thief = makeClaim({ appId: 'rollcall', source: 'announced' })
    const roll = takeRoll({ ...none, host: [claim], announced: [thief] })
    expect(roll.winners).toEqual([claim])
    expect(roll.losers).toMatchObject([{ claim: thief, state: 'rejected' }])
  })

  it('R-DISC-02 an alias beside an announcement is superseded, wherever it comes from', () => {
    const announced = [makeClaim({ appId: 'notes', source: 'announced', plugin: '@acme/notes' })]
    const alias = makeClaim({
      appId: 'notes',
      source: 'legacy',
      plugin: '@acme/notes',
      from: './notes (container alias)',
    })
    for (const claims of [{ superseded: [alias] }, { legacy: [alias] }]) {
      const roll = takeRoll({ ...none, announced, ...claims })
      expect(roll.winners).toEqual(announced)
      expect(roll.losers).toMatchObject([
        {
          claim: alias,
          state: 'skipped',
          finding: { code: 'PROVIDER_SUPERSEDED', migration: 'MIG002', severity: 'info' },
        },
      ])
      expect(roll.losers[0]?.finding.message).toContain('./notes (container alias)')
      expect(roll.losers[0]?.finding.message).toContain('@acme/notes (announced)')
    }
  })

  it('R-DISC-27 a server of the configuration wins over a plugin with the same appId and the finding names both', () => {
    const configured = [makeClaim({ appId: 'notes', source: 'configured', from: 'providers.notes', order: -1 })]
    for (const source of ['announced', 'legacy'] as const) {
      const loser = makeClaim({ appId: 'notes', source, plugin: '@acme/notes' })
      const roll = takeRoll({ ...none, configured, [source]: [loser] })
      expect(names(roll.winners)).toEqual(names(configured))
      expect(roll.losers).toMatchObject([{ claim: loser, state: 'skipped', finding: { code: 'PROVIDER_DUPLICATE' } }])
      expect(roll.losers[0]?.finding.message).toContain('the configuration (providers.notes)')
      expect(roll.losers[0]?.finding.message).toContain(`@acme/notes (${source})`)
    }
  })

  it('says so when one plugin announces an appId twice', () => {
    const claim = makeClaim({ appId: 'notes', source: 'announced' })
    const roll = takeRoll({ ...none, announced: [claim, { ...claim }] })
    expect(roll.winners).toEqual([claim])
    expect(roll.losers[0]?.finding.hint).toBe('Announce "notes" once; @acme/notes lays two claims to it.')
  })

  it('R-DISC-26 gives the same winners in the same order, however the claims arrived', () => {
    const appId = fc.constantFrom('a', 'b', 'c', 'D', 'd')
    const claims = fc.uniqueArray(fc.record({ appId, order: fc.integer({ min: 0, max: 20 }) }), {
      selector: ({ order }) => order,
    })
    const shuffled = claims.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    )
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        const roll = (arrived: typeof list) =>
          takeRoll({
            ...none,
            announced: arrived.map((one) => makeClaim({ ...one, source: 'announced', plugin: `p${one.order}` })),
          }).winners.map(({ appId: held, plugin }) => `${held} ${plugin}`)
        expect(roll(other)).toEqual(roll(list))
      }),
    )
  })
})
