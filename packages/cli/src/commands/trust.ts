import { resolve } from 'node:path'
import { RollcallError } from '@rollcall/plugin'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { readConfig, trustFile } from '../read-config.ts'

/** `rollcall trust`: trusts the configuration of a folder as it is now; a change asks again. */
export async function trust(context: CommandContext, folder: string | undefined): Promise<ExitCode> {
  const cwd = folder === undefined ? context.cwd : resolve(context.cwd, folder)
  const { configFile, ...rest } = context
  const loaded = await readConfig({ ...rest, cwd, configFile: folder === undefined ? configFile : undefined })
  if (loaded.file === undefined) {
    throw new RollcallError('USAGE', `There is no configuration in ${cwd} or above it.`, {
      hint: 'Name the folder that holds it: rollcall trust <folder>',
    })
  }
  const { file, digest } = await trustFile(context, loaded.file)
  context.screen.data({ file, digest })
  context.screen.print(`  Trusted as it is now: ${file}`, '  A change to it asks again.')
  return exitCode.fine
}
