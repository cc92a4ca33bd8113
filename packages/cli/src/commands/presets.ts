import { presets as known } from '@rollcall/host'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { presetLines } from '../output/preset-lines.ts'

/** `rollcall presets`: what may be said about a server in one word. */
export async function presets({ screen }: CommandContext): Promise<ExitCode> {
  screen.data({ presets: known })
  screen.print(...presetLines(screen), '', '  rollcall preset <id> <preset> says it about a server.')
  return exitCode.fine
}
