import { createHmac } from 'node:crypto'
import {
  type Effect,
  isRollcallError,
  type Json,
  RollcallError,
  type RollcallErrorCode,
  type ToolResult,
} from '@rollcall/plugin'
import type { CatalogueEntry } from '../catalogue/catalogue.ts'
import type { Profile } from '../gate/profile.ts'
import { describeThrown } from '../isolation/describe-thrown.ts'
import { keepAlive } from '../isolation/keep-alive.ts'
import type { ProviderCall } from '../providers/provider.ts'
import type { CallDeps } from './call-deps.ts'
import type { CallOptions } from './runtime.ts'

/** How the execution itself ended, before it is put into words. */
export type Executed =
  | { readonly status: 'done'; readonly result: ToolResult }
  | {
      readonly status: 'failed' | 'unknown'
      readonly code: RollcallErrorCode
      readonly message: string
      readonly hint: string
    }
  | { readonly status: 'cancelled' }

const cancelGraceMs = 250
const maxTotalMs = 300_000

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
])

/**
 * Runs a tool once: bounded in time, cancellable, never rejecting. A write that began and has no known end is
 * `unknown`; a read is `failed` or `cancelled`.
 */
export async function execute(
  deps: CallDeps,
  entry: CatalogueEntry,
  args: Json,
  call: { readonly callId: string; readonly profile: Profile; readonly options: CallOptions },
): Promise<Executed> {
  const { effect } = entry.traits
  const stop = new AbortController()
  const timer = createDeadline(entry.timeoutMs, deps, (limitMs) =>
    stop.abort(
      new RollcallError('TOOL_TIMEOUT', `${entry.name} did not answer within ${limitMs} ms.`, {
        hint: 'Repeat it, or raise timeoutMs.',
      }),
    ),
  )
  const outer = AbortSignal.any([deps.signal, ...(call.options.signal === undefined ? [] : [call.options.signal])])
  const cancel = () => stop.abort(outer.reason)
  if (outer.aborted) cancel()
  outer.addEventListener('abort', cancel, { once: true })
  try {
    const context = await providerCall(deps, entry, call, stop.signal, timer.extend)
    if (stop.signal.aborted) return { status: 'cancelled' }
    const running = Promise.resolve(entry.invoke(args, context)).then(
      (result): Executed => ({ status: 'done', result }),
      (error: unknown): Executed => fromThrown(error, entry, effect, stop.signal),
    )
    // A tool that hangs may hold nothing that keeps the process alive until its limit.
    return await keepAlive(Promise.race([running, stopped(stop.signal, deps, entry.name, effect)]))
  } catch (error) {
    return fromThrown(error, entry, effect, stop.signal)
  } finally {
    timer.stop()
    outer.removeEventListener('abort', cancel)
  }
}

async function providerCall(
  deps: CallDeps,
  entry: CatalogueEntry,
  { callId, profile, options }: { readonly callId: string; readonly profile: Profile; readonly options: CallOptions },
  signal: AbortSignal,
  extend: () => void,
): Promise<ProviderCall> {
  const key = await deps.digestKey()
  return {
    principal: options.principal,
    profile: profile.name,
    callId,
    ...(options.run === undefined ? {} : { runId: options.run.id }),
    idempotencyKey: createHmac('sha256', key).update(`${options.principal.id}\0${callId}`).digest('hex'),
    signal,
    logger: deps.logger,
    definition: entry.digest,
    timeoutMs: entry.timeoutMs,
    ...(options.caller === undefined ? {} : { caller: options.caller }),
    ...(options.client === undefined ? {} : { client: options.client }),
    progress(done, total, message) {
      extend()
      options.onProgress?.({
        done,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      })
    },
  }
}

/** Ends a call whose tool ignores the signal: 250 ms after a cancel, at once after a time-out. */
async function stopped(signal: AbortSignal, deps: CallDeps, name: string, effect: Effect): Promise<Executed> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await deps.clock.sleep(cancelGraceMs)
  return ended(signal, name, effect)
}

function ended(signal: AbortSignal, name: string, effect: Effect): Executed {
  const timedOut = isRollcallError(signal.reason, 'TOOL_TIMEOUT')
  if (effect !== 'read') return unknown(timedOut ? signal.reason.message : `${name} was cancelled after it had begun.`)
  if (timedOut)
    return { status: 'failed', code: 'TOOL_TIMEOUT', message: signal.reason.message, hint: signal.reason.hint }
  return { status: 'cancelled' }
}

function fromThrown(error: unknown, entry: CatalogueEntry, effect: Effect, signal: AbortSignal): Executed {
  const { message } = describeThrown(error)
  if (isRollcallError(error) && nothingSent.has(error.code)) {
    return { status: 'failed', code: error.code, message, hint: error.hint }
  }
  if (signal.aborted) return ended(signal, entry.name, effect)
  if (isRollcallError(error, 'TOOL_OUTCOME_UNKNOWN')) {
    return effect === 'read' ? { status: 'failed', code: 'TOOL_FAILED', message, hint: error.hint } : unknown(message)
  }
  const hint = isRollcallError(error) ? error.hint : `The fault lies in ${entry.plugin}; its author needs this message.`
  return { status: 'failed', code: isRollcallError(error) ? error.code : 'TOOL_FAILED', message, hint }
}

function unknown(message: string): Executed {
  return {
    status: 'unknown',
    code: 'TOOL_OUTCOME_UNKNOWN',
    message: `${message} It may have happened; do not repeat it before you have looked.`,
    hint: 'Look at the target before you repeat it.',
  }
}

/** A time limit that progress pushes back, up to 300 s in all (or the limit itself, where that is longer). */
function createDeadline(limitMs: number, { clock }: CallDeps, onOver: (limitMs: number) => void) {
  const begun = clock.now()
  const last = begun + Math.max(limitMs, maxTotalMs)
  let current = new AbortController()
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
      current.abort()
      arm()
    },
    stop: () => current.abort(),
  }
}
