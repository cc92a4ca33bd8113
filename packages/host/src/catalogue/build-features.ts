import {
  type DataClassName,
  digestOf,
  type Finding,
  type JsonObject,
  type OperatorWords,
  redactSecrets,
  visibleText,
} from '@rollcall/plugin'
import { applyWords, toolOriginOf } from '../providers/apply-words.ts'
import type { Listed } from '../providers/list-tools.ts'
import type { Listing } from '../providers/provider.ts'
import type { FeatureEntry } from './catalogue.ts'
import { addressFault, isTemplate } from './check-address.ts'
import type { Hold } from './hold.ts'
import { publicNames } from './public-name.ts'
import { type Neighbours, shadowingIn } from './shadowing.ts'
import { type InspectedTexts, inspectTexts, type Suspicion } from './suspicious.ts'

const maxNameLength = 256
const maxInstructions = 20_000

/** What a provider offers besides tools, as far as it is fit for the catalogue. */
export interface BuiltFeatures {
  readonly entry?: FeatureEntry
  readonly findings: readonly Finding[]
}

/**
 * Checks and names what a provider offers besides tools. One bad prompt or resource costs itself only. What reads like
 * instructions to a model is left out until a person has accepted it.
 */
export function buildFeatures(
  listed: Listed,
  listing: Listing,
  context: Pick<Neighbours, 'appIds' | 'owners'> & {
    readonly words: OperatorWords | undefined
    readonly classes?: readonly DataClassName[]
  },
): BuiltFeatures {
  const { features } = listing
  const { open, claim } = listed
  if (features === undefined || open.request === undefined) return { findings: [] }
  const findings: Finding[] = []
  const look = createLook(listed, { ...context, appId: claim.appId }, features.accepted === true, findings)

  const prompts = look.keep(features.prompts, 'prompt', 'name', nameFault)
  const resources = look.keep(features.resources, 'resource', 'uri', addressFault)
  const templates = look.keep(features.templates, 'template', 'uriTemplate', (text) =>
    isTemplate(text) ? addressFault(text) : 'is no template that can be matched',
  )
  const names = publicNames(claim.appId, [...prompts.keys()])
  const instructions = look.instructions(features.instructions)
  const { traits, holds } = wordsFor(listed, listing, context)
  return {
    findings,
    entry: Object.freeze({
      appId: claim.appId,
      plugin: claim.plugin,
      kind: claim.provider.kind === 'mcp' ? ('mcp' as const) : ('builtin' as const),
      digest: digestOf({ appId: claim.appId, plugin: claim.plugin, launch: listing.launch ?? null }),
      traits,
      holds,
      prompts: new Map(
        [...prompts].map(([original, definition]) => [names.get(original) ?? original, { original, definition }]),
      ),
      resources,
      templates,
      ...(instructions !== undefined && { instructions }),
      can: features.can,
      request: (request, call) => open.request?.(request, call) ?? Promise.reject(new TypeError('no such request')),
    } satisfies FeatureEntry),
  }
}

/** Everything but tools goes under the words about the provider, and only ever reads. */
function wordsFor({ claim }: Listed, listing: Listing, context: Parameters<typeof buildFeatures>[2]) {
  const { appId } = claim
  const { words, classes } = context
  const plain = { name: '', definition: { inputSchema: {} } }
  // The effect that an operator names is that of the tools.
  const { tools: _, ...about } = words ?? {}
  const { traits, off, noPreset } = applyWords(plain, { ...about, effect: 'read' }, toolOriginOf(claim), classes)
  const holds: Hold[] = [...listing.holds]
  if (noPreset) holds.push({ by: 'noPreset', hint: `rollcall preset ${appId} <preset>` })
  if (off) holds.push({ by: 'default', hint: `Take "off" out of "providers.${appId}", or name another preset.` })
  return { traits, holds: Object.freeze(holds) }
}

function createLook({ claim }: Listed, neighbours: Neighbours, accepted: boolean, findings: Finding[]) {
  const { appId, plugin } = claim
  const tell = (code: Finding['code'], message: string, hint: string) =>
    findings.push({ code, severity: 'warn', about: { plugin, appId }, phase: 'validate', message, hint, causes: [] })
  const leaveOut = (what: string, why: string) =>
    tell('TOOL_INVALID', `${what} of ${appId} ${why}; it is left out.`, `Report it to the author of ${appId}.`)
  const suspect = (what: string, code: Finding['code'], { what: has, where, excerpt }: Suspicion) =>
    tell(
      code,
      `${what} of ${appId} has ${has} in ${where}: ${JSON.stringify(redactSecrets(excerpt))}; it is left out.`,
      `Read it; a server that is trusted is accepted with \`rollcall sync --accept ${appId}\`.`,
    )
  const isHeld = (what: string, texts: InspectedTexts, where?: string): boolean => {
    const { suspicion } = texts
    const shadow = shadowingIn(texts, neighbours)
    if (accepted || (suspicion === undefined && shadow === undefined)) return false
    const place = where === undefined ? {} : { where }
    if (suspicion !== undefined) suspect(what, 'TOOL_SUSPICIOUS', { ...suspicion, ...place })
    if (shadow !== undefined) suspect(what, 'SHADOWING', { ...shadow, ...place })
    return true
  }
  return {
    keep(
      items: readonly JsonObject[],
      kind: string,
      key: 'name' | 'uri' | 'uriTemplate',
      faultOf: (text: string) => string | undefined,
    ): ReadonlyMap<string, JsonObject> {
      const kept = new Map<string, JsonObject>()
      for (const item of items) {
        const id = item[key]
        const shown = `The ${kind} ${typeof id === 'string' ? JSON.stringify(visibleText(id).slice(0, 80)) : 'without a name'}`
        const fault = typeof id === 'string' ? faultOf(id) : `has no ${key}`
        if (typeof id !== 'string' || fault !== undefined) leaveOut(shown, fault ?? `has no ${key}`)
        else if (kept.has(id)) leaveOut(shown, 'is listed twice')
        else {
          const texts = inspectTexts({ name: id, definition: { inputSchema: item } })
          if (!isHeld(shown, texts)) kept.set(id, item)
        }
      }
      return kept
    },
    instructions(text: string | undefined): string | undefined {
      if (text === undefined || text.trim() === '') return undefined
      const texts = inspectTexts({ name: '', definition: { inputSchema: {}, description: text } })
      return isHeld('The instructions', texts, 'them') ? undefined : text.slice(0, maxInstructions)
    },
  }
}

function nameFault(name: string): string | undefined {
  if (name === '' || name.length > maxNameLength) return `has a name of ${name.length} characters`
  return /\p{Cc}/u.test(name) || !name.isWellFormed() ? 'has control characters in its name' : undefined
}
