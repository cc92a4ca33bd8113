import type { DataClassName, ToolTraits } from '@rollcall/plugin'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide } from '../../src/gate/decide.ts'
import type { GateQuestion, GateSubject } from '../../src/gate/gate.ts'
import { localUser } from '../../src/gate/local-user.ts'
import { type ConfiguredRule, createPolicy, type PolicyOptions } from '../../src/gate/policy.ts'
import { untainted } from '../../src/gate/taint.ts'

const traits: ToolTraits = {
  effect: 'write',
  dataClass: 'publicContent',
  group: 'mail',
  adminOnly: false,
  approval: 'always',
  zone: 'local',
}
const subjectWith = (change: Partial<ToolTraits> = {}, rest: Partial<GateSubject> = {}): GateSubject => ({
  kind: 'tool',
  name: 'mail__send',
  appId: 'mail',
  traits: { ...traits, ...change },
  holds: [],
  ...rest,
})
const ask = (options: PolicyOptions, change: Partial<GateQuestion> = {}) =>
  decide({
    subject: subjectWith(),
    principal: localUser,
    profile: { name: 'p', zone: 'local' },
    policy: createPolicy(options),
    args: {},
    taint: untainted,
    ...change,
  })
const withRules = (rules: readonly ConfiguredRule[], change?: Partial<GateQuestion>) => ask({ rules }, change)
const reads = (dataClass: DataClassName, ...origins: readonly string[]) => ({ dataClass, origins })

describe('rules of the operator', () => {
  it('R-GOV-10 tighten anything: a rule denies what everything else allows, with its reason', () => {
    const rules: readonly ConfiguredRule[] = [{ when: { tool: 'mail__*' }, then: 'deny', reason: 'no mail from here' }]
    const verdict = withRules(rules, { subject: subjectWith({ approval: 'notNeeded' }) })
    expect(verdict).toMatchObject({ verdict: 'deny', decidedBy: 'rule' })
    expect(verdict.votes.find(({ rule }) => rule === 'rule')?.why).toBe('rules[0]: no mail from here')
  })

  it('R-GOV-10 loosen an ask and nothing else', () => {
    const allow: readonly ConfiguredRule[] = [{ when: { group: 'mail' }, then: 'allow' }]
    expect(withRules(allow)).toMatchObject({ verdict: 'allow', decidedBy: 'rule' })
    const held = subjectWith({}, { holds: [{ by: 'switch', hint: 'rollcall enable mail__send' }] })
    expect(withRules(allow, { subject: held })).toMatchObject({ verdict: 'deny', decidedBy: 'held' })
    const high = subjectWith({ dataClass: 'secretAdjacent' })
    const outside = { name: 'p', zone: 'externalGlobal' } as const
    expect(withRules(allow, { subject: high, profile: outside })).toMatchObject({ verdict: 'deny', decidedBy: 'zone' })
  })

  it('R-GOV-10 never silence the question about a definition that changed', () => {
    const allow: readonly ConfiguredRule[] = [{ when: {}, then: 'allow' }]
    expect(withRules(allow, { subject: subjectWith({}, { drifting: true }) }).verdict).toBe('ask')
  })

  it('R-SEC-26 a broad allow never wins over a deny, in whatever order they stand', () => {
    const rules: readonly ConfiguredRule[] = [
      { when: {}, then: 'allow' },
      { when: { tool: '*' }, then: 'allow' },
      { when: { group: ['mail', 'files'] }, then: 'ask' },
      { when: { tool: ['x__*', 'mail__send'], effect: 'write' }, then: 'deny' },
      { when: { args: { type: 'object', properties: { to: { const: 'boss' } }, required: ['to'] } }, then: 'allow' },
      { when: { taint: 'sourceCode' }, then: 'deny' },
      { when: { origin: 'web__*' }, then: 'ask' },
    ]
    const anyRules = fc.shuffledSubarray([...rules], { minLength: 1 })
    const anyCall = fc.record({
      args: fc.option(fc.constantFrom({ to: 'boss' }, { to: 'me' }, {}), { nil: undefined }),
      taint: fc.option(
        fc.constantFrom(untainted, reads('sourceCode', 'fs__read'), reads('publicContent', 'web__get')),
        { nil: undefined },
      ),
      effect: fc.constantFrom<ToolTraits['effect']>('read', 'write'),
    })
    fc.assert(
      fc.property(anyRules, anyCall, fc.context(), (chosen, { args, taint, effect }, context) => {
        const change = {
          subject: subjectWith({ effect }),
          ...(args === undefined ? { args: undefined as never } : { args }),
          ...(taint === undefined ? { taint: undefined as never } : { taint }),
        }
        const votes = chosen.map((one) => withRules([one], change).votes.find(({ rule }) => rule === 'rule')?.vote)
        const { verdict } = withRules(chosen, change)
        context.log(JSON.stringify({ votes, verdict }))
        if (votes.includes('deny')) expect(verdict).toBe('deny')
        else if (votes.includes('ask')) expect(verdict).toBe('ask')
        else expect(verdict).toBe(votes.includes('allow') ? 'allow' : 'ask')
        expect(withRules(chosen.toReversed(), change).verdict).toBe(verdict)
      }),
    )
  })

  it('R-GOV-11 while tools are offered, what depends on the call counts as asking and allows nothing', () => {
    const offering = {
      args: undefined as never,
      taint: undefined as never,
      subject: subjectWith({ approval: 'notNeeded' }),
    }
    const about = (then: ConfiguredRule['then']): readonly ConfiguredRule[] => [
      { when: { args: { required: ['to'] } }, then },
    ]
    expect(withRules(about('deny'), offering).verdict).toBe('ask')
    expect(withRules(about('ask'), offering).verdict).toBe('ask')
    expect(withRules(about('allow'), offering).votes.find(({ rule }) => rule === 'rule')?.vote).toBe('abstain')
    expect(withRules([{ when: { taint: 'publicContent' }, then: 'deny' }], offering).verdict).toBe('ask')
    expect(withRules(about('deny'), { ...offering, args: { to: 'x' } }).verdict).toBe('deny')
    expect(withRules(about('deny'), { ...offering, args: {} }).verdict).toBe('allow')
  })

  it('R-GOV-11 look at what was read, and where it came from', () => {
    const rules: readonly ConfiguredRule[] = [
      { when: { effect: ['write', 'idempotentWrite'], origin: 'web__*' }, then: 'deny', reason: 'the web said so' },
      { when: { taint: 'internalConfiguration' }, then: 'deny' },
    ]
    expect(withRules(rules, { taint: reads('publicContent', 'docs__find', 'web__get') }).verdict).toBe('deny')
    expect(withRules(rules, { taint: reads('publicContent', 'docs__find') }).verdict).toBe('ask')
    expect(withRules(rules, { taint: reads('systemDiagnostics', 'x') }).verdict).toBe('deny')
    expect(withRules(rules, { taint: reads('sourceCode', 'x') }).verdict).toBe('ask')
    expect(withRules(rules, { taint: reads('nobody knows', 'x') }).verdict).toBe('deny')
  })
})

describe('what leaves', () => {
  const target = (zone: string | undefined, kept?: 'inProcess') => {
    const { zone: _, ...rest } = traits
    const own: ToolTraits = { ...rest, approval: 'notNeeded', ...(zone === undefined ? {} : { zone }) }
    return { ...subjectWith(), traits: own, ...(kept && { kept }) }
  }

  it('R-GOV-12 is asked about where its class is above what the target may get, with its origin', () => {
    const asked = ask({}, { subject: target('externalGlobal'), taint: reads('sourceCode', 'fs__read_file') })
    expect(asked).toMatchObject({ verdict: 'ask', decidedBy: 'zone' })
    expect(asked.votes.find(({ rule }) => rule === 'zone')?.why).toContain('sourceCode (from fs__read_file)')
    expect(ask({}, { subject: target('externalGlobal'), taint: reads('editorContent', 'x') }).verdict).toBe('allow')
    expect(ask({}, { subject: target('privateHosted'), taint: reads('sourceCode', 'x') }).verdict).toBe('allow')
    expect(ask({}, { subject: target('local'), taint: reads('secretAdjacent', 'x') }).verdict).toBe('allow')
  })

  it('R-GOV-12 is denied next to secrets, asked about where a zone only looks on, and nobody knows means far away', () => {
    const taint = reads('secretAdjacent', 'db__query')
    expect(ask({}, { subject: target('externalGlobal'), taint })).toMatchObject({ verdict: 'deny', decidedBy: 'zone' })
    expect(ask({}, { subject: target(undefined), taint }).verdict).toBe('deny')
    expect(ask({}, { subject: target('the moon'), taint: reads('sourceCode', 'x') }).verdict).toBe('ask')
    const observing = { name: 'p', zone: 'local', zoneMode: 'observe' } as const
    expect(ask({}, { subject: target('externalGlobal', 'inProcess'), profile: observing, taint }).verdict).toBe('ask')
    expect(ask({}, { subject: target('externalGlobal'), profile: observing, taint }).verdict).toBe('deny')
  })

  it('R-GOV-12 is not looked at while tools are only offered', () => {
    expect(ask({}, { subject: target('externalGlobal'), taint: undefined as never }).verdict).toBe('allow')
  })
})

describe('zones that only look on', () => {
  const high = subjectWith({ dataClass: 'secretAdjacent', approval: 'notNeeded' }, { kept: 'inProcess' })
  const outside = (zoneMode?: string) =>
    ({ name: 'p', zone: 'externalGlobal', ...(zoneMode && { zoneMode }) }) as GateQuestion['profile']

  it('R-GOV-13 let through by an explicit word alone, say so, and never for external tools', () => {
    const seen = ask({}, { subject: high, profile: outside('observe') })
    expect(seen.verdict).toBe('allow')
    expect(seen.votes.find(({ rule }) => rule === 'zone')?.why).toMatch(/^observed only: returns secretAdjacent/)
    expect(ask({}, { subject: high, profile: outside('Observe') }).verdict).toBe('deny')
    expect(ask({}, { subject: high, profile: outside() }).verdict).toBe('deny')
    const { kept: _, ...external } = high
    expect(ask({}, { subject: external, profile: outside('observe') }).verdict).toBe('deny')
  })

  it('R-GOV-13 a profile that enforces does so under a host that observes', () => {
    expect(ask({ zoneMode: 'observe' }, { subject: high, profile: outside() }).verdict).toBe('allow')
    expect(ask({ zoneMode: 'observe' }, { subject: high, profile: outside('enforce') }).verdict).toBe('deny')
  })
})

describe("classes and zones of the operator's own", () => {
  const options: PolicyOptions = {
    dataClasses: { trials: { above: 'patients' }, patients: { above: 'internalConfiguration' } },
    zones: { clinic: { ceiling: 'patients' } },
  }
  const verdictFor = (dataClass: string, zone: string) =>
    ask(options, {
      subject: subjectWith({ dataClass, approval: 'notNeeded' }),
      profile: { name: 'p', zone },
    }).verdict

  it('R-GOV-14 rank where they were put', () => {
    expect(createPolicy(options).classes.slice(3, 6)).toEqual(['internalConfiguration', 'patients', 'trials'])
    expect(verdictFor('patients', 'clinic')).toBe('allow')
    expect(verdictFor('internalConfiguration', 'clinic')).toBe('allow')
    expect(verdictFor('trials', 'clinic')).toBe('deny')
    expect(verdictFor('patients', 'externalEu')).toBe('deny')
    expect(verdictFor('trials', 'privateHosted')).toBe('allow')
    expect(verdictFor('never heard of', 'local')).toBe('deny')
  })

  it('R-GOV-14 change nothing that is built in', () => {
    const bold = { zones: { local: { ceiling: 'publicContent' }, externalGlobal: { ceiling: 'secretAdjacent' } } }
    const { ceilings } = createPolicy(bold)
    expect(ceilings.get('externalGlobal')).toBe('editorContent')
    expect(ceilings.get('local')).toBe('secretAdjacent')
  })
})
