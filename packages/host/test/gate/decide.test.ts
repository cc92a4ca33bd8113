import { type DataClass, dataClasses, type Principal, trustZones } from '@rollcall/plugin'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide } from '../../src/gate/decide.ts'
import { type GateQuestion, type GateSubject, gateRules } from '../../src/gate/gate.ts'
import { localClient, localUser } from '../../src/gate/local-user.ts'
import { createPolicy, zoneCeilings } from '../../src/gate/policy.ts'

const read: GateSubject = {
  kind: 'tool',
  name: 'notes__list',
  appId: 'notes',
  traits: { effect: 'read', dataClass: 'publicContent', group: 'notes', adminOnly: false, approval: 'notNeeded' },
  holds: [],
}
const question = (change: Partial<GateQuestion> = {}): GateQuestion => ({
  subject: read,
  principal: localUser,
  profile: { name: 'p', zone: 'local' },
  policy: createPolicy(),
  ...change,
})
const withTraits = (traits: Partial<GateSubject['traits']>): GateSubject => ({
  ...read,
  traits: { ...read.traits, ...traits },
})

describe('the gate', () => {
  it('allows what no rule is against, and says what each rule thinks', () => {
    const verdict = decide(question())
    expect(verdict.verdict).toBe('allow')
    expect(verdict.votes.map(({ rule }) => rule)).toEqual(gateRules)
  })

  it('denies what is not in the catalogue, and says nothing more', () => {
    const verdict = decide(question({ subject: undefined }))
    expect(verdict).toMatchObject({ verdict: 'deny', decidedBy: 'registered' })
    expect(verdict.votes).toHaveLength(1)
  })

  it('R-GOV-01 reports the first denial in its order, whatever comes after it', () => {
    const subject: GateSubject = {
      ...withTraits({ adminOnly: true, dataClass: 'secretAdjacent', approval: 'always' }),
      holds: [{ by: 'default', hint: 'rollcall enable notes__list' }],
    }
    const harsh = { principal: localClient, profile: { name: 'p', zone: 'externalGlobal', allow: [] } } as const
    expect(decide(question({ subject, ...harsh })).decidedBy).toBe('held')
    expect(decide(question({ subject: { ...subject, holds: [] }, ...harsh })).decidedBy).toBe('admin')
    expect(decide(question({ subject: { ...subject, holds: [] }, ...harsh, principal: localUser })).decidedBy).toBe(
      'profile',
    )
  })

  it('R-GOV-01 gives the same answer to the same question, and a denial is never outvoted', () => {
    const principals: readonly Principal[] = [localUser, localClient]
    const arbitrary = fc.record({
      subject: fc.record({
        dataClass: fc.constantFrom(...dataClasses),
        adminOnly: fc.boolean(),
        approval: fc.constantFrom('always', 'notNeeded', 'byArguments'),
      }),
      principal: fc.constantFrom(...principals),
      zone: fc.constantFrom(...trustZones),
      allow: fc.option(fc.subarray(['notes__*', '!notes__list', 'group:notes', '*', 'x__*']), { nil: undefined }),
    })
    fc.assert(
      fc.property(arbitrary, ({ subject, principal, zone, allow }) => {
        const asked = question({
          subject: withTraits(subject),
          principal,
          profile: { name: 'p', zone, ...(allow === undefined ? {} : { allow }) },
        })
        const verdict = decide(asked)
        expect(decide(asked)).toEqual(verdict)
        expect(verdict.verdict === 'deny').toBe(verdict.votes.some(({ vote }) => vote === 'deny'))
      }),
    )
  })
})

describe('zones', () => {
  it.each(trustZones)('%s receives up to its ceiling and nothing above', (zone) => {
    const ceiling = dataClasses.indexOf(zoneCeilings[zone] as DataClass)
    for (const [rank, dataClass] of dataClasses.entries()) {
      const { verdict } = decide(question({ subject: withTraits({ dataClass }), profile: { name: 'p', zone } }))
      expect(verdict).toBe(rank <= ceiling ? 'allow' : 'deny')
    }
  })

  it('an unknown zone counts as the farthest, an unknown class as above all', () => {
    const strange = { name: 'p', zone: 'moon' } as unknown as GateQuestion['profile']
    expect(decide(question({ profile: strange, subject: withTraits({ dataClass: 'sourceCode' }) })).decidedBy).toBe(
      'zone',
    )
    const odd = withTraits({ dataClass: 'harmless' as never })
    expect(decide(question({ subject: odd })).decidedBy).toBe('zone')
  })

  it('a ceiling raises what a profile may receive', () => {
    const profile = { name: 'p', zone: 'externalGlobal', ceiling: 'sourceCode' } as const
    expect(decide(question({ profile, subject: withTraits({ dataClass: 'sourceCode' }) })).verdict).toBe('allow')
  })
})

describe('patterns of a profile', () => {
  const verdictOf = (allow: readonly string[] | undefined, narrow?: readonly string[]) =>
    decide(
      question({
        profile: { name: 'p', zone: 'local', ...(allow === undefined ? {} : { allow }) },
        ...(narrow === undefined ? {} : { allow: narrow }),
      }),
    ).verdict

  it.each([
    [undefined, 'allow'],
    [[], 'deny'],
    [['notes__*'], 'allow'],
    [['*__list'], 'allow'],
    [['n*s__l*t'], 'allow'],
    [['group:notes'], 'allow'],
    [['other__*'], 'deny'],
    [['*', '!*__list'], 'deny'],
    [['!*__list', '*'], 'deny'],
    [['!*__delete'], 'allow'],
    [['notes__'], 'deny'],
    [['notes.__list'], 'deny'],
  ])('%j gives %s', (allow, verdict) => {
    expect(verdictOf(allow)).toBe(verdict)
  })

  it('a request narrows its profile and never widens it', () => {
    expect(verdictOf(['notes__*'], ['other__*'])).toBe('deny')
    expect(verdictOf(['other__*'], ['notes__*'])).toBe('deny')
    expect(verdictOf(undefined, ['notes__list'])).toBe('allow')
  })
})

describe('approval', () => {
  it('asks always, never, or as the arguments say; offering counts as asking', () => {
    expect(decide(question({ subject: withTraits({ approval: 'always' }) })).verdict).toBe('ask')
    const byArguments = withTraits({ approval: 'byArguments' })
    expect(decide(question({ subject: byArguments })).verdict).toBe('ask')
    expect(decide(question({ subject: byArguments, argumentsAsk: true })).verdict).toBe('ask')
    expect(decide(question({ subject: byArguments, argumentsAsk: false })).verdict).toBe('allow')
  })
})
