import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openSession } from '../open-session.ts'
import { showSwitched, switchTarget, switchTo } from '../switch-target.ts'

/** `rollcall enable`: switches a tool or a group on, or accepts a discovered plugin. */
export async function enable(context: CommandContext, word: string): Promise<ExitCode> {
  await using session = await openSession(context, { pinning: 'off' })
  const target = switchTarget(word, session.host)
  const touched = await switchTo(true, word, target, session.host)
  showSwitched(target, true, touched, context, session.loaded.config)
  return exitCode.fine
}
