import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openSession } from '../open-session.ts'
import { showSwitched, switchTarget, switchTo } from '../switch-target.ts'

/** `rollcall disable`: switches a tool or a group off. */
export async function disable(context: CommandContext, word: string): Promise<ExitCode> {
  await using session = await openSession(context, { pinning: 'off' })
  const target = switchTarget(word, session.host)
  const touched = await switchTo(false, word, target, session.host)
  showSwitched(target, false, touched, context, session.loaded.config)
  return exitCode.fine
}
