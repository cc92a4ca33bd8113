import { isRollcallError, type RollcallErrorCode, visibleText } from '@rollcall/plugin'
import type { CatalogueEntry } from '../catalogue/catalogue.ts'
import type { Hold } from '../catalogue/hold.ts'
import type { ArgumentsDigest } from '../gate/arguments-digest.ts'
import { decide } from '../gate/decide.ts'
import type { Verdict } from '../gate/gate.ts'
import type { Grant } from '../gate/grant.ts'
import { grantFault } from '../gate/may-grant.ts'
import type { Profile } from '../gate/profile.ts'
import { type Taint, untainted } from '../gate/taint.ts'
import { toSubject } from '../gate/to-subject.ts'
import { describeThrown } from '../isolation/describe-thrown.ts'
import { type CallTrace, traceCall } from '../telemetry/trace-call.ts'
import { ask } from './ask.ts'
import type { CallDeps } from './call-deps.ts'
import { digestArguments, gated, newCallId, openRecord, ownerOf, proposed } from './call-record.ts'
import { type EndedOutcome, endCall } from './end-call.ts'
import { argumentsDenied, askedBy, guardArguments } from './guard-call.ts'
import type { ToolOutcome } from './outcome.ts'
import { type ParsedArguments, parseArguments } from './parse-arguments.ts'
import { readTaint } from './read-taint.ts'
import { hostClosed, runCall } from './run-call.ts'
import type { CallOptions } from './runtime.ts'
import { failed } from './to-outcome.ts'

type Elapsed = { readonly callId: string; readonly durationMs: number }

const maxShownName = 100

/**
 * The story of a call: find the tool, parse the arguments, ask the gate and the guardrails; then refuse it, put it before a person (`ask`)
 * or execute it (`runCall`), and record that. The entry that was gated is the object that is executed. Never rejects.
 */
export function callTool(deps: CallDeps, tool: string, args: unknown, options: CallOptions): Promise<ToolOutcome> {
  const callId = options.run?.callId ?? newCallId(deps.clock.now())
  return traceCall(tool, callId, options, (trace) =>
    passCall(deps, tool, args, { ...options, span: trace.context }, { callId, trace }),
  )
}

async function passCall(
  deps: CallDeps,
  tool: string,
  args: unknown,
  options: CallOptions,
  { callId, trace }: { readonly callId: string; readonly trace: CallTrace },
): Promise<ToolOutcome> {
  const begun = deps.clock.now()
  const elapsed = (): Elapsed => ({ callId, durationMs: deps.clock.now() - begun })
  try {
    const listener = deps.currentListener()
    if (listener !== undefined) return notReady(listener, elapsed())
    if (deps.signal.aborted) return hostClosed(elapsed())
    const profile = deps.profiles.get(options.profile ?? 'direct')
    if (profile === undefined) return noProfile(options.profile, elapsed())

    const entry = deps.catalogue().entries.get(tool)
    if (entry !== undefined) trace.found(entry)
    const parsed = parseArguments(entry, args, { drops: true })
    const argsDigest = digestArguments(parsed.text, await deps.digestKey())
    const taint = await readTaint(deps, entry, options)
    const { verdict, grant } = await gateWithGrants(deps, { entry, parsed, profile, options, taint, argsDigest })
    trace.gated(verdict)

    const record = openRecord(deps.store, callId, options.principal.id, options.run)
    const opening = [
      proposed(callId, tool, entry, argsDigest, { ...options, profile }),
      gated(callId, verdict, { taint, grant }),
    ]
    await deps.content?.keepArguments(ownerOf(record, options), argsDigest, parsed.text)
    const refuse = async (outcome: EndedOutcome, by?: readonly string[]): Promise<ToolOutcome> => {
      await endCall(deps, record, { length: 0, unwritten: opening }, shown(tool), outcome, by)
      return outcome
    }
    if (entry === undefined || verdict.verdict === 'deny')
      return await refuse({ ...elapsed(), status: 'denied', ...denial(deps, tool, entry, verdict) })
    if (!parsed.ok) return await refuse(badArguments(entry, parsed.message, elapsed()))

    const guarded = { callId, entry, profile, options }
    const checked = await guardArguments(deps, guarded, parsed.text)
    const word = checked?.verdict ?? 'allow'
    if (checked !== undefined && word !== 'allow' && word !== 'ask')
      return await refuse(argumentsDenied(guarded, checked, elapsed()), checked.guardrails)

    const journal = { length: 0, opening }
    const ready = { entry, args: parsed.text, argsDigest, profile, options, begun, verdict }
    // Whether it is to be approved is asked when it is whole.
    if (entry.form !== undefined) return await ask(deps, record, journal, ready, { form: entry.form })
    if (verdict.verdict === 'ask') return await ask(deps, record, journal, ready, { guardrails: checked?.guardrails })
    if (checked !== undefined && word === 'ask') {
      const asked = { ...ready, verdict: askedBy(verdict, checked) }
      return await ask(deps, record, journal, asked, { guardrails: checked.guardrails })
    }
    return await runCall(deps, record, journal, ready)
  } catch (error) {
    return notRecorded(deps, error, elapsed())
  }
}

/** What the gate is asked about. */
interface GatedCall {
  readonly entry: CatalogueEntry | undefined
  readonly parsed: ParsedArguments
  readonly profile: Profile
  readonly options: Pick<CallOptions, 'principal' | 'allow'>
  /** Absent: the gate does not look at it. */
  readonly taint: Taint | undefined
}

/** Asks the gate about this call; a throwing `when` of the author counts as asking. */
export function gateCall({ policy }: CallDeps, call: GatedCall, grant?: Grant): Verdict {
  const { entry, parsed, profile, options, taint } = call
  const isKnown = entry !== undefined && parsed.ok
  return decide({
    subject: entry === undefined ? undefined : toSubject(entry),
    principal: options.principal,
    profile,
    policy,
    taint: taint ?? untainted,
    ...(options.allow === undefined ? {} : { allow: options.allow }),
    ...(grant === undefined ? {} : { grant }),
    ...(isKnown ? { args: parsed.value } : {}),
    argumentsAsk: isKnown ? entry.needsApproval(parsed.value) : true,
  })
}

/** A person's earlier yes is looked for only where one would be asked again, and could have been given. */
export async function gateWithGrants(
  deps: CallDeps,
  call: GatedCall & { readonly options: CallOptions; readonly argsDigest: ArgumentsDigest },
): Promise<{ readonly verdict: Verdict; readonly grant?: Grant }> {
  const { entry, profile, options } = call
  const verdict = gateCall(deps, call)
  if (entry === undefined || verdict.verdict !== 'ask' || grantFault({ ...entry, profile, verdict }) !== undefined)
    return { verdict }
  const grant = await deps.grants.find({
    tool: entry.name,
    definition: entry.digest,
    principal: options.principal.id,
    profile: profile.name,
    args: call.argsDigest,
    ...(options.client === undefined ? {} : { session: options.client.session }),
  })
  return grant === undefined ? { verdict } : { verdict: gateCall(deps, call, grant), grant }
}

/** The arguments are none that this tool takes. */
export function badArguments(entry: CatalogueEntry, message: string, elapsed: Elapsed): EndedOutcome {
  const hint = 'Correct the arguments; nothing was executed.'
  return failed(elapsed, 'TOOL_ARGUMENTS_INVALID', `${entry.name}: ${visibleText(message)}`, hint)
}

/** The journal could not be read or written: nothing is executed without it. Its place is for the log, not for a caller. */
export function notRecorded(deps: CallDeps, error: unknown, { callId, durationMs }: Elapsed): EndedOutcome {
  const { message, causes } = describeThrown(error)
  deps.logger.error('a call could not be recorded', { callId, message, causes })
  // The store is there, and keeps what it has until somebody sees to it.
  if (isRollcallError(error, 'KEY_UNKNOWN') || isRollcallError(error, 'STORE_TAMPERED'))
    return failed({ callId, durationMs }, error.code, error.message, error.hint)
  const text = 'The call could not be recorded, so it was not executed.'
  const hint = 'Check the store: its path, permissions and free space.'
  return failed({ callId, durationMs }, 'STORE_UNAVAILABLE', text, hint)
}

/** Why a call is refused, in words for its caller. */
export function denial(
  deps: CallDeps,
  tool: string,
  entry: CatalogueEntry | undefined,
  { decidedBy, votes }: Verdict,
): { code: RollcallErrorCode; text: string; hint: string } {
  const name = shown(tool)
  const [hold] = entry?.holds ?? []
  if (entry === undefined)
    return deps.isGone(tool)
      ? { code: 'TOOL_GONE', text: `${name} is not in the catalogue any more.`, hint: 'List the tools again.' }
      : { code: 'TOOL_NOT_FOUND', text: `There is no tool ${name}.`, hint: 'List what there is: rollcall tools' }
  if (decidedBy === 'held' && hold !== undefined)
    return { code: 'TOOL_HELD', text: `${name} is held: ${heldBecause[hold.by]}.`, hint: hold.hint }
  const why = votes.find(({ rule }) => rule === decidedBy)?.why ?? ''
  const text = `${name} is denied by the rule "${decidedBy}": ${why}.`
  return { code: 'TOOL_DENIED', text, hint: `Every vote: rollcall why ${name}` }
}

const heldBecause: Readonly<Record<Hold['by'], string>> = {
  switch: 'switched off',
  default: 'off until somebody switches it on',
  drift: 'its definition changed',
  new: 'not accepted yet',
  launchChanged: 'its launch changed',
  noPreset: 'nobody has said what it may do',
  suspicious: 'its texts look suspicious',
  needsSecret: 'a secret is missing',
  needsLogin: 'a login is missing',
  noConnector: 'no connector',
}

function notReady(listener: string, elapsed: Elapsed): EndedOutcome {
  return failed(
    elapsed,
    'CATALOGUE_NOT_READY',
    `A listener of ${listener} called a tool while the catalogue is being made from its answer.`,
    'Call tools when a tool of yours is called, or listen to ToolsChanged.',
  )
}

function noProfile(profile: string | undefined, elapsed: Elapsed): EndedOutcome {
  const text = `There is no profile ${shown(profile ?? 'direct')}.`
  const hint = 'Add it to `profiles`, or name one that is there.'
  return { ...elapsed, status: 'denied', code: 'TOOL_DENIED', text, hint }
}

/** A name that came from outside: anybody may ask for anything. */
function shown(name: string): string {
  return visibleText(name.slice(0, maxShownName)).replace(/[\n\t]/g, ' ')
}
