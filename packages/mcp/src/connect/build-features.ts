import type { McpClaim, ProviderFeatures } from '@rollcall/host'
import type { JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import type { LiveList } from '../listing/live-list.ts'
import { areFeaturesAccepted } from '../lock/accepted-facts.ts'
import type { JudgedTool } from '../lock/judge-tools.ts'
import type { ServerFacts } from '../lock/server-record.ts'

/** What a pinned server offers besides tools. */
export interface FeatureFacts extends Pick<ServerFacts, 'acceptance'> {
  readonly claim: McpClaim
  readonly entry: NonNullable<ServerFacts['entry']>
  readonly prompts: readonly JudgedTool[]
  /** What it lists at this moment; absent where it does not run. */
  readonly live: LiveList | undefined
}

/**
 * Prompts that are not what was accepted are left out, and so is all else that stands in the lock file otherwise than it
 * was accepted. Resources come and go: those of a running server are what it lists now.
 */
export function buildFeatures({ claim, entry, acceptance, prompts, live }: FeatureFacts): ProviderFeatures {
  const { capabilities, instructions, templates, resources } = entry
  const isShared = (claim.words.isolation ?? 'shared') === 'shared'
  const areAccepted = areFeaturesAccepted(entry, acceptance)
  return {
    prompts: prompts.filter(({ fault }) => fault === undefined).map(({ definition }) => definition),
    templates: areAccepted ? templates : [],
    resources: resourcesOf(isShared, live?.resources ?? (areAccepted ? resources : [])),
    ...(areAccepted && instructions !== undefined && { instructions }),
    ...(areAccepted && acceptance?.reviewed === true && { accepted: true }),
    can: {
      complete: isJsonObject(capabilities.completions),
      subscribe: isJsonObject(capabilities.resources) && capabilities.resources.subscribe === true,
      log: isJsonObject(capabilities.logging),
      listLive: !isShared && isJsonObject(capabilities.resources),
    },
  }
}

function resourcesOf(isShared: boolean, resources: readonly JsonObject[]): readonly JsonObject[] {
  return isShared ? resources : []
}
