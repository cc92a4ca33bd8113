import type { CommandContext } from '../command-context.ts'
import { effectiveConfig } from '../effective-config.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { oneLine } from '../output/safe-text.ts'
import { readConfig } from '../read-config.ts'

/** `rollcall config`: the configuration as it counts, with its defaults; secrets as where they come from. */
export async function config(context: CommandContext): Promise<ExitCode> {
  const loaded = await readConfig(context)
  const { screen } = context
  const { file, folder, stateFolder, trusted } = loaded
  const effective = effectiveConfig(loaded)
  screen.data({ file: file ?? null, folder, stateFolder, trusted, config: effective })
  const { dim, yellow } = screen.paint
  screen.print(
    dim(
      `# ${file === undefined ? 'no configuration file; defaults' : oneLine(file)} · state in ${oneLine(stateFolder)}`,
    ),
    ...(trusted ? [] : [yellow(`# not trusted: nothing of it runs until you do: rollcall trust ${oneLine(folder)}`)]),
    ...JSON.stringify(effective, null, 2).split('\n').map(oneLine),
  )
  return exitCode.fine
}
