import type { Capability, Host, ToolView, Who } from '@rollcall/host'
import type { JsonObject } from '@rollcall/plugin'
import { capabilitiesOf } from '../lists/capabilities.ts'
import { RpcError } from '../rpc-error.ts'
import type { ServedNames } from '../served-names.ts'

const missingCapability = -32_021

/** The tool that a consumer sees under a name, whatever its client can do. */
export function findServedTool(host: Host, names: ServedNames, who: Who, name: unknown): ToolView | undefined {
  return host.tools.list(who).find((view) => names.serves(view.appId) && names.shownTool(view) === name)
}

/** What a client declares who can do all of that. */
function declarationOf(needs: ReadonlySet<Capability>): JsonObject {
  const forms = { ...(needs.has('elicitation') && { form: {} }), ...(needs.has('elicitation.url') && { url: {} }) }
  return {
    ...(Object.keys(forms).length > 0 && { elicitation: needs.has('elicitation.url') ? forms : {} }),
    ...(needs.has('roots') && { roots: {} }),
    ...(needs.has('sampling') && { sampling: {} }),
  }
}

/** @throws {RpcError} −32021 where the tool needs what its caller has not declared. */
export function requireCapabilities(
  view: ToolView,
  capabilities: JsonObject,
  profile: Parameters<typeof capabilitiesOf>[1],
): void {
  const can = capabilitiesOf(capabilities, profile)
  const missing = view.needs.filter((need: Capability) => !can.has(need))
  if (missing.length === 0) return
  throw new RpcError(missingCapability, `Missing required client capabilities: ${missing.join(', ')}`, {
    requiredCapabilities: declarationOf(new Set(missing)),
  })
}
