import type { CatalogueEntry } from '../catalogue/catalogue.ts'
import type { ArgumentsDigest } from '../gate/arguments-digest.ts'
import type { CallDeps } from './call-deps.ts'
import { type CallRecord, readCall } from './call-record.ts'
import type { CallState } from './fold-call.ts'
import { type Repeat, repeatWindowMs } from './kept-outcomes.ts'
import type { CallRef, ToolOutcome } from './outcome.ts'
import { resume } from './resume.ts'
import type { CallOptions } from './runtime.ts'

const maxAttempts = 5
const maxLooks = 40
const lookMs = 50

/**
 * Where a client repeats a call about which a person is asked, or was a quarter of an hour ago, it gets that one: nothing
 * is asked or executed twice.
 *
 * @returns `undefined` where the call is a new one; it is the one to join from now on
 * @throws {RollcallError} `STORE_UNAVAILABLE`.
 */
export async function joinRepeat(
  deps: CallDeps,
  record: CallRecord,
  call: { readonly entry: CatalogueEntry; readonly argsDigest: ArgumentsDigest; readonly options: CallOptions },
): Promise<ToolOutcome | undefined> {
  const { entry, argsDigest, options } = call
  // Who types commands means each of them, and a run has its own record.
  if (options.client === undefined || options.run !== undefined) return undefined
  const repeat: Repeat = { holder: options, tool: entry.name, definition: entry.digest, args: argsDigest }
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const stream = await deps.kept.claim(repeat, record.stream)
    if (stream === undefined) return undefined
    const earlier: CallRef = { stream, callId: stream.slice('call/'.length) }
    if (await mayJoin(deps, earlier)) return await resume(deps, earlier, options)
    await deps.kept.release(repeat, stream)
  }
  return undefined
}

/** What was withdrawn, ran out or found no place says nothing about a new call. */
async function mayJoin(deps: CallDeps, call: CallRef): Promise<boolean> {
  const { proposed, ended, endedAt = 0 } = await readWritten(deps, call)
  if (ended === undefined) return proposed !== undefined
  if (ended.status === 'cancelled' || ended.code === 'APPROVAL_EXPIRED' || ended.code === 'BUSY') return false
  return deps.clock.now() - endedAt < repeatWindowMs
}

/** One that has claimed its place is written down a moment later, unless its process died in between. */
async function readWritten(deps: CallDeps, call: CallRef): Promise<CallState> {
  for (let look = 0; look < maxLooks; look++) {
    const state = await readCall(deps.store, call)
    if (state.proposed !== undefined) return state
    await deps.clock.sleep(lookMs, deps.signal)
  }
  return await readCall(deps.store, call)
}
