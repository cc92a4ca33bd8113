import type { LoadedConfig } from '@rollcall/host/config'
import { createMcp } from '@rollcall/mcp'
import { RollcallError } from '@rollcall/plugin'
import { changeConfig, showChange } from '../change-config.ts'
import type { CommandContext } from '../command-context.ts'
import type { ExitCode } from '../exit-code.ts'
import { lockFileOf, readConfig, requireTrust } from '../read-config.ts'

/**
 * `rollcall remove`: takes a server, or the words about a provider, out of the configuration, and a server out of the
 * lock file too. What was accepted about it stays on record: another server under its name is no first sight.
 */
export async function remove(context: CommandContext, id: string): Promise<ExitCode> {
  const loaded = await readConfig(context)
  requireTrust(loaded)
  const ids = Object.keys(loaded.config.providers ?? {})
  if (!ids.includes(id)) {
    throw new RollcallError('PROVIDER_UNKNOWN', `The configuration has no provider "${id}".`, {
      hint: ids.length === 0 ? 'It has none: rollcall add <id> <npm package>' : `It has ${ids.join(', ')}.`,
    })
  }
  const result = await changeConfig(context, [{ path: ['providers', id], value: undefined }])
  // Code still declares it until a person has taken it out.
  const wasPinned = result.kind !== 'code' && (await forget(id, loaded, context))
  return showChange(result, context, { id, wasPinned }, wasPinned ? [lockFileOf(loaded)] : [])
}

/** @returns whether it stood in the lock file. */
async function forget(id: string, loaded: LoadedConfig, { logger, env }: CommandContext): Promise<boolean> {
  await using mcp = createMcp({ lockFile: lockFileOf(loaded), folder: loaded.folder, logger, env })
  return await mcp.forget(id)
}
