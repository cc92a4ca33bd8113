import { createHmac, type KeyObject } from 'node:crypto'
import {
  isRollcallError,
  type Json,
  RollcallError,
  type RollcallErrorCode,
  type ToolResult,
  type ToolTraits,
} from '@rollcall/plugin'
import type { ToolView } from '../catalogue/catalogue.ts'
import type { Profile } from '../gate/profile.ts'
import { describeThrown } from '../isolation/describe-thrown.ts'
import { keepAlive } from '../isolation/keep-alive.ts'
import type { ProviderCall } from '../providers/provider.ts'
import { traceMeta } from '../telemetry/trace-context.ts'
import type { CallDeps } from './call-deps.ts'
import { guardCaller } from './guard-caller.ts'
import type { CallOptions } from './runtime.ts'

/** How the execution itself ended, before it is put into words. */
export type Executed<Result = ToolResult> =
  | { readonly status: 'done'; readonly result: Result }
  | {
      readonly status: 'failed' | 'unknown'
      readonly code: RollcallErrorCode
      readonly message: string
      readonly hint: string
    }
  | { readonly status: 'cancelled' }

const cancelGraceMs = 250
const maxTotalMs = 300_000
const recordingMs = 5_000

// Thrown by a provider only while nothing was sent: even a write has then certainly not happened.
const nothingSent: ReadonlySet<RollcallErrorCode> = new Set([
  'SERVER_UNAVAILABLE',
  'SERVER_TIMEOUT',
  'DEFINITION_CHANGED',
  'LAUNCH_CHANGED',
  'LAUNCH_REFUSED',
  'SECRET_MISSING',
  'VARIABLE_MISSING',
  'BUSY',
  'CAPABILITY_MISSING',
  'AMBIGUOUS_ORIGIN',
  'ADDRESS_REFUSED',
])
const over = Object.freeze({ reason: 'over' })

/** What is executed: a tool of the catalogue, or a request for something else that a provider offers. */
export interface Executable<Result> extends Pick<ToolView, 'name' | 'appId' | 'plugin' | 'kind' | 'digest'> {
  readonly timeoutMs: number
  readonly traits: ToolTraits
  invoke(args: Json, call: ProviderCall): Promise<Result>
}

/** One execution: who asked for it, and what ends it early. */
export interface Execution {
  readonly callId: string
  readonly profile: Profile
  readonly options: CallOptions
  readonly signal: AbortSignal
  /** The key of the store for digests. */
  readonly key: KeyObject
}

/** Milliseconds after which a started call is certainly over, and its end written down if it ever will be. */
export function longestMs(entry: Pick<Executable<unknown>, 'timeoutMs'>): number {
  return Math.max(entry.timeoutMs, maxTotalMs) + cancelGraceMs + recordingMs
}

/**
 * Runs a tool once: bounded in time, cancellable, never rejecting. A write that began and has no known end is
 * `unknown`; a read is `failed` or `cancelled`.
 */
export async function execute<Result>(
  deps: CallDeps,
  entry: Executable<Result>,
  args: Json,
  execution: Execution,
): Promise<Executed<Result>> {
  const { signal: outer } = execution
  if (outer.aborted) return { status: 'cancelled' }
  const stop = new AbortController()
  const timer = createDeadline(entry.timeoutMs, deps, (limitMs) =>
    stop.abort(
      new RollcallError('TOOL_TIMEOUT', `${entry.name} did not answer within ${limitMs} ms.`, {
        hint: 'Repeat it, or raise timeoutMs.',
      }),
    ),
  )
  const cancel = () => stop.abort(outer.reason)
  outer.addEventListener('abort', cancel, { once: true })
  try {
    const context = providerCall(deps, entry, execution, stop.signal, timer)
    const running = Promise.resolve(entry.invoke(args, context)).then(
      (result): Executed<Result> => ({ status: 'done', result }),
      (error: unknown): Executed<Result> => fromThrown(error, entry, stop.signal),
    )
    // A tool that hangs may hold nothing that keeps the process alive until its limit.
    return await keepAlive(Promise.race([running, stopped(stop.signal, deps, entry)]))
  } catch (error) {
    return fromThrown(error, entry, stop.signal)
  } finally {
    timer.stop()
    outer.removeEventListener('abort', cancel)
  }
}

function providerCall(
  deps: CallDeps,
  entry: Executable<unknown>,
  { callId, profile, options, key }: Execution,
  signal: AbortSignal,
  timer: Deadline,
): ProviderCall {
  return {
    principal: options.principal,
    profile: profile.name,
    callId,
    ...(options.run === undefined ? {} : { runId: options.run.id }),
    get idempotencyKey() {
      return createHmac('sha256', key).update(`${options.principal.id}\0${callId}`).digest('hex')
    },
    signal,
    logger: deps.logger,
    definition: entry.digest,
    timeoutMs: entry.timeoutMs,
    effect: entry.traits.effect,
    ...metaFor(options),
    ...(options.caller === undefined
      ? {}
      : { caller: guardCaller(deps, options.caller, { about: entry, profile, options }) }),
    ...(options.client === undefined ? {} : { client: options.client }),
    progress(done, total, message) {
      // Nobody hears of a call any more that is over.
      if (!timer.extend()) return
      try {
        options.onProgress?.({
          done,
          ...(total === undefined ? {} : { total }),
          ...(message === undefined ? {} : { message }),
        })
      } catch (error) {
        deps.logger.warn('a listener to progress failed', { callId, error: describeThrown(error).message })
      }
    },
  }
}

/** The caller's own fields, and the trace of which this call is a part. */
function metaFor({ meta, span }: CallOptions): Pick<ProviderCall, 'meta'> {
  const traced = traceMeta(span)
  if (meta === undefined && traced === undefined) return {}
  return { meta: { ...meta, ...traced } }
}

/** Ends a call whose tool ignores the signal, 250 ms after it. */
async function stopped(signal: AbortSignal, deps: CallDeps, entry: Executable<unknown>): Promise<Ended> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await deps.clock.sleep(cancelGraceMs)
  return ended(signal, entry)
}

type Ended = Exclude<Executed, { status: 'done' }>

function ended(signal: AbortSignal, { name, traits }: Executable<unknown>): Ended {
  const timedOut = isRollcallError(signal.reason, 'TOOL_TIMEOUT')
  if (traits.effect !== 'read')
    return unknown(timedOut ? signal.reason.message : `${name} was cancelled after it had begun.`)
  if (timedOut)
    return { status: 'failed', code: 'TOOL_TIMEOUT', message: signal.reason.message, hint: signal.reason.hint }
  return { status: 'cancelled' }
}

function fromThrown(error: unknown, entry: Executable<unknown>, signal: AbortSignal): Ended {
  const { message } = describeThrown(error)
  // Only whoever connects to servers promises what these codes mean; a function of a plugin may throw anything.
  if (entry.kind === 'mcp' && isRollcallError(error) && nothingSent.has(error.code)) {
    return { status: 'failed', code: error.code, message, hint: error.hint }
  }
  if (signal.aborted) return ended(signal, entry)
  if (isRollcallError(error, 'TOOL_OUTCOME_UNKNOWN')) {
    return entry.traits.effect === 'read'
      ? { status: 'failed', code: 'TOOL_FAILED', message, hint: error.hint }
      : unknown(message)
  }
  const hint = isRollcallError(error) ? error.hint : `The fault lies in ${entry.plugin}; its author needs this message.`
  return { status: 'failed', code: isRollcallError(error) ? error.code : 'TOOL_FAILED', message, hint }
}

function unknown(message: string): Ended {
  return {
    status: 'unknown',
    code: 'TOOL_OUTCOME_UNKNOWN',
    message: `${message} It may have happened; do not repeat it before you have looked.`,
    hint: 'Look at the target before you repeat it.',
  }
}

interface Deadline {
  /** Begins the limit anew. @returns false when the call is over. */
  extend(): boolean
  stop(): void
}

/** A time limit that progress pushes back, up to 300 s in all (or the limit itself, where that is longer). */
function createDeadline(limitMs: number, { clock }: CallDeps, onOver: (limitMs: number) => void): Deadline {
  const begun = clock.now()
  const last = begun + Math.max(limitMs, maxTotalMs)
  let current = new AbortController()
  let isOver = false
  const arm = () => {
    const armed = new AbortController()
    current = armed
    const ms = Math.min(limitMs, last - clock.now())
    void clock.sleep(ms, armed.signal).then(() => {
      if (!armed.signal.aborted) onOver(clock.now() - begun)
    })
  }
  arm()
  return {
    extend() {
      if (isOver) return false
      current.abort(over)
      arm()
      return true
    },
    stop() {
      isOver = true
      // A reason of its own: making the usual one costs more than the timer.
      current.abort(over)
    },
  }
}
