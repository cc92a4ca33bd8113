import type { Logger } from '@rollcall/plugin'
import type { Prompts } from './output/prompts.ts'
import type { Screen } from './output/screen.ts'

/** What every command gets from the process, as ports. */
export interface CommandContext {
  readonly screen: Screen
  readonly prompts: Prompts
  readonly logger: Logger
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** `--config`, as given. */
  readonly configFile: string | undefined
  /** Aborted when the user wants it to end. */
  readonly signal: AbortSignal
  /** How this command is started, for lines that a person may repeat: `rollcall`. */
  readonly commandName: string
}
