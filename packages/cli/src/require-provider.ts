import type { Host } from '@rollcall/host'
import { RollcallError } from '@rollcall/plugin'

/**
 * Nothing, where a provider of that name is configured or announced, whatever its state.
 *
 * @throws {RollcallError} `PROVIDER_UNKNOWN` when there is none, with the names there are.
 */
export function requireProvider(host: Host, appId: string): void {
  const ids = host.report().providers.map((provider) => provider.appId)
  if (ids.includes(appId)) return
  throw new RollcallError('PROVIDER_UNKNOWN', `There is no provider "${appId}" to serve bare.`, {
    hint: `Its providers: ${ids.join(', ')}.`,
  })
}
