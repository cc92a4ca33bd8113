import { RollcallError } from '@rollcall/plugin'
import type { Claim, LegacyProvider } from '../claim.ts'
import type { Target } from './candidates.ts'
import { aliasOf } from './create-container.ts'
import { describeFound, isLegacyObject, type LegacyObject } from './legacy-provider.ts'

/** The claim of a container alias beside an announcement: none, or one. No factory is run for it. */
export function supersededClaims(target: Target): readonly Claim[] {
  const { plugin, appId } = target
  if (!hasAlias(target)) return []
  const { name, version, order, from } = plugin
  return [
    {
      appId,
      plugin: name,
      version,
      source: 'legacy',
      order,
      provider: deferred(target),
      from: `${from} (container alias)`,
    },
  ]
}

/** A container of a host application may throw; what it can't tell supersedes nothing. */
function hasAlias({ appId, container }: Target): boolean {
  try {
    return container.has(aliasOf(appId))
  } catch {
    return false
  }
}

function deferred({ appId, container }: Target): LegacyProvider {
  const provider = async (): Promise<LegacyObject> => {
    const found = await container.get(aliasOf(appId))
    if (isLegacyObject(found)) return found
    throw new RollcallError('LEGACY_CANDIDATE_INVALID', `${aliasOf(appId)} gave ${describeFound(found)}.`, {
      hint: 'Remove the alias: a listener has replaced it.',
    })
  }
  return {
    kind: 'legacy',
    getAppId: () => appId,
    getTools: async () => (await provider()).getTools(),
    invokeTool: async (id, args) => (await provider()).invokeTool(id, args),
  }
}
