import {
  type DataClassName,
  dataClasses,
  type Effect,
  effects,
  type OperatorWords,
  type ToolTraits,
  type ToolWords,
  type TrustZone,
} from '@rollcall/plugin'
import { type Preset, presetOf } from '../config/presets.ts'
import type { Claim } from '../discovery/claim.ts'
import type { ListedTool } from './provider.ts'

/** What counts about a tool once everybody who may say something has spoken. */
export interface AppliedWords {
  readonly traits: ToolTraits
  /** Starts switched off. */
  readonly off: boolean
  /** An external tool about which the operator has not said enough to let it be used. */
  readonly noPreset: boolean
}

/** Where a tool comes from. Legacy providers are builtin ones: functions of this process. */
export interface ToolOrigin {
  readonly kind: 'builtin' | 'mcp'
  readonly appId: string
  /** Whether it is reached over the network, by an address. */
  readonly remote?: boolean
}

/** Where the tools of a claim come from. */
export function toolOriginOf({ appId, provider }: Pick<Claim, 'appId' | 'provider'>): ToolOrigin {
  if (provider.kind !== 'mcp') return { kind: 'builtin', appId }
  return { kind: 'mcp', appId, remote: 'url' in provider.server }
}

/**
 * Settles a tool's traits. From strong to weak: the operator's words about the tool, about its provider, the preset,
 * its author (functions of this process only), the strictest value. What a server says about itself counts nothing.
 */
export function applyWords(
  tool: ListedTool,
  words: OperatorWords | undefined,
  origin: ToolOrigin,
  classes: readonly DataClassName[] = dataClasses,
): AppliedWords {
  const own = ownWords(words, tool.name)
  const preset = presetOf(words?.preset)
  const author = origin.kind === 'builtin' ? (tool.traits ?? {}) : {}

  const effect = firstOf(effects, own?.effect, words?.effect, author.effect) ?? 'write'
  const dataClass =
    firstOf(classes, own?.dataClass, words?.dataClass, preset?.dataClass, author.dataClass) ?? 'secretAdjacent'
  const said = own?.approval ?? words?.approval ?? preset?.approval
  const traits: ToolTraits = Object.freeze({
    effect,
    dataClass,
    group: author.group ?? origin.appId,
    adminOnly: own?.adminOnly ?? words?.adminOnly ?? (preset?.adminOnly === true || author.adminOnly === true),
    approval: said === undefined ? authorsApproval(tool, author, effect, origin) : resolved(said, effect),
    zone: words?.zone ?? zoneOf(preset, origin),
    ...(preset?.grants === false && { grants: false as const }),
  })
  return {
    traits,
    off: own?.off ?? words?.off ?? startsOff(tool, preset, effect, origin),
    noPreset: origin.kind === 'mcp' && preset === undefined && !isComplete({ ...words, ...defined(own) }),
  }
}

function ownWords(words: OperatorWords | undefined, name: string): ToolWords | undefined {
  return words?.tools !== undefined && Object.hasOwn(words.tools, name) ? words.tools[name] : undefined
}

function firstOf<T extends Effect | DataClassName>(
  known: readonly T[],
  ...said: readonly (T | undefined)[]
): T | undefined {
  const first = said.find((word) => word !== undefined)
  return first !== undefined && known.includes(first) ? first : undefined
}

/** What a server is told goes where it is; a program of this machine may send it anywhere, unless a preset knows. */
function zoneOf(preset: Preset | undefined, { kind, remote }: ToolOrigin): TrustZone {
  if (kind === 'builtin') return preset?.zone ?? 'local'
  return remote === true ? 'externalGlobal' : (preset?.zone ?? 'externalGlobal')
}

function resolved(said: NonNullable<ToolWords['approval']>, effect: Effect): 'always' | 'notNeeded' {
  if (said === 'notNeeded') return 'notNeeded'
  return said === 'writes' && effect === 'read' ? 'notNeeded' : 'always'
}

function authorsApproval(
  tool: ListedTool,
  author: Partial<ToolTraits>,
  effect: Effect,
  origin: ToolOrigin,
): ToolTraits['approval'] {
  if (origin.kind === 'mcp') return 'always'
  if (author.approval === 'byArguments') return tool.needsApproval === undefined ? 'always' : 'byArguments'
  return author.approval ?? (effect === 'read' ? 'notNeeded' : 'always')
}

function startsOff(tool: ListedTool, preset: Preset | undefined, effect: Effect, origin: ToolOrigin): boolean {
  const authored = origin.kind === 'builtin'
  if (authored && tool.startsOff !== undefined && tool.startsOff !== false) return true
  if (preset !== undefined) return (effect === 'read' ? preset.reads : preset.writes) === 'off'
  return authored && effect !== 'read'
}

function isComplete(words: ToolWords): boolean {
  return words.dataClass !== undefined && words.effect !== undefined && words.approval !== undefined
}

function defined(words: ToolWords | undefined): ToolWords {
  return Object.fromEntries(Object.entries(words ?? {}).filter(([, word]) => word !== undefined))
}
