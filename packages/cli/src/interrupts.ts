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
 * A rejection that nobody handled (a plugin's, late) is one line in the log and never the end of the process.
 */
export function watchInterrupts(logger: () => Logger): Interrupts {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(exitCode.interrupted)
    controller.abort()
    setTimeout(() => process.exit(exitCode.interrupted), graceMs).unref()
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, interrupt)
  process.on('unhandledRejection', (reason) => {
    const text = reason instanceof Error ? reason.message : String(reason)
    logger().error('A rejection that nobody handled; everything else goes on.', {
      reason: oneLine(redactSecrets(text)),
    })
  })
  return { signal: controller.signal }
}
