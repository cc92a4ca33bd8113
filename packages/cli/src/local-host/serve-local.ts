import { closeSync, writeSync } from 'node:fs'
import { RollcallError } from '@rollcall/plugin'
import type { CommandContext } from '../command-context.ts'
import { openSession } from '../open-session.ts'
import { readConfig, requireTrust } from '../read-config.ts'
import { unmigrated } from '../unmigrated.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { hostDigest, toRefusal, type Welcome } from './hello.ts'
import { listenLocal } from './listen-local.ts'
import { socketPathOf } from './socket-path.ts'

/** The pipe to whoever started this process. */
const starterFd = 3

/** Serves the clients of this machine over the socket until none has come for a while: the host behind `serve --stdio`. */
export async function serveLocal(context: CommandContext, options: { readonly lingerMs: number }): Promise<void> {
  try {
    const loaded = await readConfig(context)
    requireTrust(loaded)
    const path = socketPathOf(loaded)
    if (path === undefined) throw noSocket()
    await using session = await openSession(context, { pinning: 'background' })
    const [fault] = unmigrated(session.host)
    if (fault !== undefined) throw new RollcallError('LEGACY_ALIAS', fault.message, { hint: fault.hint })
    const { lingerMs } = options
    const { logger, signal } = context
    await using listener = await listenLocal({ path, digest: hostDigest(loaded), session, logger, lingerMs })
    tell({ status: 'welcome' })
    await Promise.race([listener.unused, untilInterrupted(signal)])
  } catch (error) {
    tell(toRefusal(error))
    throw error
  }
}

function tell(line: Welcome): void {
  try {
    writeSync(starterFd, `${JSON.stringify(line)}\n`)
    closeSync(starterFd)
  } catch {
    // Started by hand, or told already.
  }
}

function noSocket(): RollcallError {
  return new RollcallError('USAGE', 'The state folder can hold no socket here: its path is too long.', {
    hint: 'Set ROLLCALL_STATE_DIR to a shorter path.',
  })
}
