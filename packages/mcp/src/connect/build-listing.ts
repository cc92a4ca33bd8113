import type { Hold, ListedTool, Listing, McpClaim, ProviderFeatures } from '@rollcall/host'
import type { Digest } from '@rollcall/plugin'
import { type Finding, isRollcallError, type JsonObject, type RollcallError, visibleText } from '@rollcall/plugin'
import type { JudgedTool } from '../lock/judge-tools.ts'
import { unpinnedPackage } from '../lock/unpinned-launch.ts'

/** Everything that a listing is made of. */
export interface ListingFacts {
  readonly claim: McpClaim
  readonly launch: Digest
  readonly launchChanged: boolean
  /** Absent: the server was never listed. */
  readonly tools?: readonly JudgedTool[]
  readonly features?: ProviderFeatures
  /** It is being listed for the first time right now. */
  readonly isPending: boolean
  /** A secret or variable that is missing. */
  readonly missing?: RollcallError
  /** The lock file could not be read. */
  readonly lockFault?: RollcallError
  /** What earlier work noticed. */
  readonly notices: readonly Finding[]
  /** `running`, `not started` … */
  readonly state: string
  readonly timeoutMs: number
}

const definitionKeys = ['description', 'title', 'inputSchema', 'outputSchema', 'annotations', 'icons', '_meta'] as const

/** What a provider offers at this moment: all pinned tools with their pinned definitions, each with what holds it. */
export function buildListing(facts: ListingFacts): Listing {
  const { claim, launch, timeoutMs } = facts
  const transport = 'command' in claim.server ? 'stdio' : 'http'
  return {
    tools: (facts.tools ?? []).map((tool) => toListed(claim, tool, timeoutMs)),
    launch,
    holds: holdsOf(facts),
    findings: [...findingsOf(facts), ...facts.notices],
    detail: `mcp, ${transport}, ${facts.state}`,
    ...(facts.features !== undefined && { features: facts.features }),
  }
}

function toListed(claim: McpClaim, tool: JudgedTool, timeoutMs: number): ListedTool {
  const hint = `rollcall sync --accept ${claim.appId}`
  return {
    name: tool.name,
    // Foreign and unchecked: the catalogue says what is wrong with it.
    definition: definitionOf(tool.definition),
    timeoutMs,
    ...(tool.needs.length > 0 && { needs: tool.needs }),
    ...(tool.fault === undefined && tool.diff !== undefined && { drift: tool.diff }),
    ...(tool.isReviewed && { accepted: true }),
    ...(tool.fault !== undefined && { holds: [{ by: tool.fault === 'new' ? 'new' : 'drift', hint }] }),
  }
}

// The same pinned definition is listed as the same object: the catalogue then need not check it again.
const listed = new WeakMap<JsonObject, ListedTool['definition']>()

function definitionOf(pinned: JsonObject): ListedTool['definition'] {
  const known = listed.get(pinned)
  if (known !== undefined) return known
  const entries = definitionKeys.flatMap((key) => (key in pinned ? [[key, pinned[key]] as const] : []))
  const definition = Object.fromEntries(entries) as JsonObject as unknown as ListedTool['definition']
  listed.set(pinned, definition)
  return definition
}

function holdsOf(facts: ListingFacts): readonly Hold[] {
  const { appId } = facts.claim
  const holds: Hold[] = []
  if (facts.lockFault !== undefined) holds.push({ by: 'drift', hint: facts.lockFault.hint })
  if (facts.launchChanged) holds.push({ by: 'launchChanged', hint: `rollcall sync --accept ${appId}` })
  if (facts.missing !== undefined) holds.push({ by: 'needsSecret', hint: facts.missing.hint })
  if (facts.tools === undefined && holds.length === 0) {
    const hint = facts.isPending ? `It is being listed now; see "rollcall status".` : `rollcall sync ${appId}`
    holds.push({ by: 'new', hint })
  }
  return holds
}

function findingsOf(facts: ListingFacts): readonly Finding[] {
  const { claim, launchChanged, missing, lockFault } = facts
  const { appId } = claim
  const found: Finding[] = []
  if (lockFault !== undefined) found.push(fromError(appId, lockFault))
  if (launchChanged) {
    const message = `${appId} would be launched otherwise, or by another owner, than was accepted; it is not started.`
    found.push(
      notice(appId, 'LAUNCH_CHANGED', message, `Compare the declaration, then run "rollcall sync --accept ${appId}".`),
    )
  }
  if (missing !== undefined) found.push(fromError(appId, missing))
  const unpinned = unpinnedPackage(claim.server)
  if (unpinned !== undefined) {
    const message = `${appId} fetches ${visibleText(unpinned)} without an exact version: other code may run tomorrow.`
    found.push(notice(appId, 'LAUNCH_UNPINNED', message, `Write the version into "providers.${appId}.args".`))
  }
  return found
}

function fromError(appId: string, { code, message, hint, cause }: RollcallError): Finding {
  const causes = isRollcallError(cause) ? [cause.message] : []
  return { ...notice(appId, code, `${appId} is not contacted: ${message}`, hint), causes }
}

function notice(appId: string, code: Finding['code'], message: string, hint: string): Finding {
  return { code, severity: 'warn', about: { appId }, phase: 'list', message, hint, causes: [] }
}
