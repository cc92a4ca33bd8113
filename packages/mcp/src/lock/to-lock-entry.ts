import type { McpClaim } from '@rollcall/host'
import { type Digest, type JsonObject, redactSecrets } from '@rollcall/plugin'
import type { ClassedList } from '../listing/classed-list.ts'
import type { McpPeer } from '../peer/mcp-peer.ts'
import type { LockEntry } from './lock-entry.ts'

/** What is written down about a server that was listed just now. */
export function toLockEntry(
  claim: Pick<McpClaim, 'words'>,
  peer: Pick<McpPeer, 'server' | 'protocolVersion' | 'era'>,
  { live, needs, classes }: ClassedList,
  launch: Digest,
): LockEntry {
  const { name, version, capabilities } = peer.server
  const { isolation = 'shared' } = claim.words
  return {
    launch,
    serverInfo: { name, version },
    protocolVersion: peer.protocolVersion,
    protocol: { era: peer.era, on: new Date().toISOString().slice(0, 10) },
    capabilities,
    capabilityClasses: classes,
    ...(live.instructions !== undefined && !isSecret(live.instructions) && { instructions: live.instructions }),
    prompts: live.prompts.filter((each) => !isSecret(each)),
    templates: live.templates.filter((each) => !isSecret(each)),
    // Where everybody has a state of their own, whoever was listed first must not show theirs.
    resources: isolation === 'shared' ? live.resources.filter((each) => !isSecret(each)) : [],
    tools: [...live.tools.values()].map((tool) => ({ ...tool, needs: needs.get(tool.name) ?? [] })),
  }
}

/** An address with a token in it belongs into no file that is committed. */
function isSecret(value: JsonObject | string): boolean {
  const text = JSON.stringify(value)
  return redactSecrets(text) !== text
}
