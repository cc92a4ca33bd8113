import { RollcallError } from '@rollcall/plugin'
import { changeConfig, showChange } from '../change-config.ts'
import type { CommandContext } from '../command-context.ts'
import type { ExitCode } from '../exit-code.ts'
import { readConfig, requireTrust } from '../read-config.ts'

/** `rollcall remove`: takes a server, or the words about a provider, out of the configuration. */
export async function remove(context: CommandContext, id: string): Promise<ExitCode> {
  const loaded = await readConfig(context)
  requireTrust(loaded)
  const ids = Object.keys(loaded.config.providers ?? {})
  if (!ids.includes(id)) {
    throw new RollcallError('PROVIDER_UNKNOWN', `The configuration has no provider "${id}".`, {
      hint: ids.length === 0 ? 'It has none: rollcall add <id> <npm package>' : `It has ${ids.join(', ')}.`,
    })
  }
  const result = await changeConfig(context, loaded, [{ path: ['providers', id], value: undefined }])
  return showChange(result, context, { id })
}
