import type { Logger } from '@rollcall/plugin'
import { redactSecrets } from '@rollcall/plugin'
import { exitCode } from './exit-code.ts'
import { oneLine } from './output/safe-text.ts'

/** The process' signals as one abort signal. */
export interface Interrupts {
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal
}

/** Milliseconds in which everything must be over after the first signal. */
const graceMs = 5_000

/**
 * Watches for signals: the first asks everything to end, the second ends the process at once, and so does time.
 * What a plugin throws from a timer or rejects too late is one line in the log and never the end of the process.
 */
export function watchInterrupts(logger: () => Logger): Interrupts {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(exitCode.interrupted)
    controller.abort()
    setTimeout(() => process.exit(exitCode.interrupted), graceMs).unref()
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, interrupt)
  const survive = (thrown: unknown) =>
    logger().error('Something was thrown where nobody could catch it; everything else goes on.', {
      reason: oneLine(redactSecrets(textOf(thrown))),
    })
  process.on('unhandledRejection', survive)
  process.on('uncaughtException', survive)
  return { signal: controller.signal }
}

// Anything may be thrown, also what can't be made a text.
function textOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message
  try {
    return String(thrown)
  } catch {
    return 'something that has no text'
  }
}
