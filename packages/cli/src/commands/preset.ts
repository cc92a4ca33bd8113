import { presets } from '@rollcall/host'
import { RollcallError } from '@rollcall/plugin'
import { changeConfig, showChange } from '../change-config.ts'
import type { CommandContext } from '../command-context.ts'
import type { ExitCode } from '../exit-code.ts'
import { readConfig, requireTrust } from '../read-config.ts'

/** `rollcall preset`: says in one word what a server is; written into the configuration. */
export async function preset(context: CommandContext, id: string, word: string): Promise<ExitCode> {
  if (!Object.hasOwn(presets, word)) {
    throw new RollcallError('USAGE', `"${word}" is no preset.`, { hint: 'The presets there are: rollcall presets' })
  }
  const loaded = await readConfig(context)
  requireTrust(loaded)
  const result = await changeConfig(context, loaded, [{ path: ['providers', id, 'preset'], value: word }])
  return showChange(result, context, { id, preset: word })
}
