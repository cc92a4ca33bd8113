import { type Finding, isRollcallError, RollcallError, redactSecrets, visibleText } from '@rollcall/plugin'
import { type Fault, runIsolated } from '../../isolation/run-isolated.ts'
import type { LoadedPlugin } from '../../plugins/loaded-plugin.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LegacyProvider } from '../claim.ts'
import { normaliseAppId } from '../take-roll.ts'
import { type Candidate, isInPlace, locate, nameOf, type Target, take, type Winner } from './candidates.ts'
import { describeFound, isLegacyObject, toLegacyProvider } from './legacy-provider.ts'

/** An appId for which a provider was found, and where. */
export interface Found {
  readonly target: Target
  readonly winner: Winner
  readonly provider: LegacyProvider
}

/** What one candidate gave. `missed` is the expected case, `invalid` one that somebody has to correct. */
export type Probed =
  | { readonly kind: 'found'; readonly found: Found }
  | { readonly kind: 'missed' }
  | { readonly kind: 'invalid'; readonly finding: Finding }

export interface ProbeLimits {
  readonly clock: Clock
  readonly limitMs: number
}

/** Looks at one candidate, or at one that won before. Never rejects. */
export async function probe(asked: Candidate | Winner, target: Target, limits: ProbeLimits): Promise<Probed> {
  let place: Winner | undefined
  const run = await runIsolated(async () => {
    if (typeof asked === 'string') place = await locate(asked, target)
    else if (await isInPlace(asked, target)) place = asked
    if (place === undefined) return undefined
    const provider = checked(await take(place, target), target, place)
    return provider && { target, winner: place, provider }
  }, limits)

  if (run.ok) return run.value === undefined ? { kind: 'missed' } : { kind: 'found', found: run.value }
  const name = place ?? (typeof asked === 'string' ? { candidate: asked } : asked)
  return { kind: 'invalid', finding: invalid(target, nameOf(name, target.plugin), run.fault) }
}

/** @throws {RollcallError} `LEGACY_CANDIDATE_INVALID` for what is no provider of this appId. */
function checked(found: unknown, { plugin, appId }: Target, { candidate }: Winner): LegacyProvider | undefined {
  if (!isLegacyObject(found)) throw unfit(`it gave ${describeFound(found)}, which is no provider`)
  const own: unknown = found.getAppId()
  if (typeof own !== 'string') throw unfit(`getAppId() of its provider gave ${describeFound(own)}, not a text`)
  const normalised = normaliseAppId(own)
  if (normalised === appId) return toLegacyProvider(found)
  // A package has one such module: where it has several appIds, the module belongs to one of them.
  if (candidate !== 'alias' && plugin.appIds.includes(normalised)) return undefined
  throw unfit(`it gave the provider of another appId, "${own}"`)
}

function unfit(message: string): RollcallError {
  return new RollcallError('LEGACY_CANDIDATE_INVALID', message, {
    hint: 'Give an object with getAppId(), getTools() and invokeTool(id, args), or a function that returns one.',
  })
}

function invalid({ plugin, appId }: Target, candidate: string, fault: Fault): Finding {
  const ours = isRollcallError(fault.error, 'LEGACY_CANDIDATE_INVALID') ? fault.error : undefined
  const what = ours
    ? fault.message
    : fault.kind === 'timedOut'
      ? lowerFirst(fault.message)
      : `it threw: ${fault.message}`
  const line = ours ? undefined : ownLine(fault.error, plugin)
  return {
    code: 'LEGACY_CANDIDATE_INVALID',
    severity: 'warn',
    about: { plugin: plugin.name, appId },
    phase: 'scan',
    message: `${appId}: the ${candidate} of ${plugin.from} is no use: ${withStop(what)}`,
    hint:
      ours?.hint ?? `Correct the provider of "${appId}" in ${plugin.from}; the other candidates were tried instead.`,
    causes: line === undefined ? fault.causes : [...fault.causes, line],
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function withStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

/** The first line of the stack that lies in the plugin's own code, with a path relative to its package. */
function ownLine(error: unknown, { folder }: LoadedPlugin): string | undefined {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return undefined
  const lines = error.stack.split('\n').filter((line) => /^\s+at /.test(line) && !line.includes('node:internal'))
  const line = folder === undefined ? lines[0] : lines.find((candidate) => candidate.includes(`${folder}/`))
  if (line === undefined) return undefined
  const path = folder === undefined ? line : line.replaceAll(`file://${folder}/`, '').replaceAll(`${folder}/`, '')
  return visibleText(redactSecrets(path.trim().slice(0, 500)))
}
