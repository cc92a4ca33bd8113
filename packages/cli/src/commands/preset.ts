import { presets } from '@rollcall/host'
import { RollcallError } from '@rollcall/plugin'
import { changeConfig, showChange } from '../change-config.ts'
import type { CommandContext } from '../command-context.ts'
import type { ExitCode } from '../exit-code.ts'
import { openSession } from '../open-session.ts'
import { readConfig, requireTrust } from '../read-config.ts'

/** `rollcall preset`: says in one word what a server is; written into the configuration. */
export async function preset(context: CommandContext, id: string, word: string): Promise<ExitCode> {
  if (!Object.hasOwn(presets, word)) {
    throw new RollcallError('USAGE', `"${word}" is no preset.`, { hint: 'The presets there are: rollcall presets' })
  }
  const loaded = await readConfig(context)
  requireTrust(loaded)
  if (!Object.hasOwn(loaded.config.providers ?? {}, id)) await assertAnnounced(id, context)
  const result = await changeConfig(context, [{ path: ['providers', id, 'preset'], value: word }])
  return showChange(result, context, { id, preset: word })
}

/** A word about nobody would stand in the configuration unnoticed. */
async function assertAnnounced(id: string, context: CommandContext): Promise<void> {
  await using session = await openSession(context, { pinning: 'off' })
  if (session.host.report().providers.some(({ appId }) => appId === id)) return
  throw new RollcallError('PROVIDER_UNKNOWN', `Nobody answers the roll as "${id}".`, {
    hint: 'Who answered the roll: rollcall plugins. To add a server: rollcall add <id> <npm package>',
  })
}
