import type { Principal } from '@rollcall/plugin'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { resourceName } from '../features/seen-by.ts'
import { decide } from '../gate/decide.ts'
import type { GateQuestion, GateSubject, Verdict } from '../gate/gate.ts'
import type { GatePolicy, PolicyRule } from '../gate/policy.ts'
import type { Profile } from '../gate/profile.ts'
import { isAbout } from '../gate/rules/rule.ts'
import { type Taint, untainted } from '../gate/taint.ts'
import { subjectOf, toSubject } from '../gate/to-subject.ts'
import type { CallEvent } from '../invoke/call-event.ts'
import type { Store } from '../store/store.ts'

type Proposed = Extract<CallEvent, { type: 'call.proposed' }>
type Gated = Extract<CallEvent, { type: 'call.gated' }>

/** A recorded call, and what the gate of now would say of it. */
export interface ReplayedCall {
  readonly callId: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly tool: string
  readonly subject: GateSubject['kind']
  readonly principal: string
  readonly profile: string
  /** What the gate said then; a grant is left out of account. */
  readonly before: Verdict['verdict']
  /** What it would say. `undecidable`: it depends on something that was not kept. */
  readonly now: Verdict['verdict'] | 'undecidable'
  /** The vote that decides, or what is not known. */
  readonly why: string
}

/** What is asked when calls are replayed: the tables and tools of now. */
export interface ReplayContext {
  readonly store: Store
  readonly catalogue: Catalogue
  readonly profiles: ReadonlyMap<string, Profile>
  readonly policy: GatePolicy
}

/** Rules on arguments of which every combination is tried; with more, nobody can tell. */
const maxUnknownRules = 6

/**
 * Asks the gate of now about recorded calls, oldest first. Arguments are not recorded: where a verdict depends on them it
 * is undecidable, never guessed.
 *
 * @param since milliseconds since the epoch
 * @throws {RollcallError} `STORE_UNAVAILABLE`.
 */
export async function* replayCalls(context: ReplayContext, since = 0): AsyncIterable<ReplayedCall> {
  for (const { stream } of await context.store.heads({ kind: 'call' })) {
    let proposed: Proposed | undefined
    let gated: Gated | undefined
    let at = 0
    for await (const stored of context.store.read(stream)) {
      const event = stored.event as CallEvent
      if (event.type === 'call.proposed') {
        proposed = event
        at = stored.at
      }
      if (event.type === 'call.gated') gated = event
      if (gated !== undefined) break
    }
    if (proposed === undefined || gated === undefined || at < since) continue
    const { callId, tool, subject = 'tool', principal, profile } = proposed
    const before = gated.grant === undefined ? gated.verdict : 'ask'
    yield { callId, at, tool, subject, principal, profile, before, ...verdictNow(context, proposed, gated) }
  }
}

function verdictNow(context: ReplayContext, proposed: Proposed, gated: Gated): Pick<ReplayedCall, 'now' | 'why'> {
  const profile = context.profiles.get(proposed.profile)
  if (profile === undefined) return { now: 'deny', why: `there is no profile ${proposed.profile}` }
  const subject = subjectNow(context.catalogue, proposed)
  if (subject === 'unknown') return { now: 'undecidable', why: `what a server asks its caller is not replayed` }
  const found = new Map<Verdict['verdict'], Verdict>()
  for (const question of possibleQuestions(context, { subject, profile, proposed, gated })) {
    const verdict = decide(question)
    found.set(verdict.verdict, verdict)
  }
  const [only] = found.values()
  if (only === undefined || found.size > 1) {
    const may = [...found.keys()].join(' or ')
    return {
      now: 'undecidable',
      why:
        may === '' ? 'too many rules depend on its arguments' : `${may}: ${unknownsOf(subject, context.policy, gated)}`,
    }
  }
  return { now: only.verdict, why: only.votes.find(({ rule }) => rule === only.decidedBy)?.why ?? '' }
}

function subjectNow(
  { entries, features }: Catalogue,
  { tool, subject, appId, original }: Proposed,
): GateSubject | undefined | 'unknown' {
  if (subject === undefined) {
    const entry = entries.get(tool)
    return entry && toSubject(entry)
  }
  const entry = features.get(appId)
  if (subject !== 'prompt' && subject !== 'resource' && subject !== 'completion') return 'unknown'
  return entry && subjectOf(entry, subject, subject === 'prompt' ? tool : resourceName(appId, original))
}

/** Everything that the call may have been, as far as its record leaves it open. */
function* possibleQuestions(
  { policy }: ReplayContext,
  call: {
    readonly subject: GateSubject | undefined
    readonly profile: Profile
    readonly proposed: Proposed
    readonly gated: Gated
  },
): Generator<GateQuestion> {
  const { subject, profile, proposed, gated } = call
  const open =
    subject === undefined ? [] : policy.rules.filter((rule) => rule.when.args !== undefined && isAbout(rule, subject))
  if (open.length > maxUnknownRules) return
  for (let fits = 0; fits < 2 ** open.length; fits++) {
    const rules = policy.rules.map((rule) => {
      const index = open.indexOf(rule)
      return index === -1 ? rule : withAnswer(rule, (fits & (1 << index)) !== 0)
    })
    for (const admin of [true, false]) {
      for (const argumentsAsk of [true, false]) {
        for (const taint of possibleTaints(policy, gated)) {
          const principal = nobody(proposed.principal, admin)
          yield { subject, principal, profile, policy: { ...policy, rules }, args: null, taint, argumentsAsk }
        }
      }
    }
  }
}

function withAnswer(rule: PolicyRule, answer: boolean): PolicyRule {
  return { ...rule, fits: () => answer }
}

/** What was read is recorded where the gate looked at it. */
function possibleTaints(policy: GatePolicy, { taint }: Gated): readonly Taint[] {
  if (taint !== undefined) return [taint]
  const worst: Taint = { dataClass: policy.classes.at(-1) ?? 'secretAdjacent', origins: originsNamed(policy) }
  return [untainted, worst]
}

/** A name for each pattern on origins, so that every such rule may match. */
function originsNamed({ rules }: GatePolicy): readonly string[] {
  return rules
    .flatMap(({ when }) => (when.origin === undefined ? [] : [when.origin].flat()))
    .map((pattern) => pattern.replaceAll('*', 'x'))
}

function nobody(id: string, admin: boolean): Principal {
  // Who it was is recorded by id alone; what else a gate asks of a principal is tried both ways.
  return { kind: 'service', id, person: id, admin, scopes: ['tools:call'] }
}

function unknownsOf(subject: GateSubject | undefined, { rules }: GatePolicy, { taint }: Gated): string {
  const unknown = [
    ...(subject !== undefined && rules.some((rule) => rule.when.args !== undefined && isAbout(rule, subject))
      ? ['its arguments']
      : []),
    ...(subject?.traits.approval === 'byArguments' ? ['its arguments'] : []),
    ...(subject?.traits.adminOnly === true ? ['whether its caller administrates'] : []),
    ...(taint === undefined ? ['what its caller had read'] : []),
  ]
  return `depends on ${[...new Set(unknown)].join(' or ')}, which was not kept`
}
