import type { Settings } from '@rollcall/host'
import type { Digest, Json } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'

/** What somebody accepted about one server: a row of the store, never part of the lock file. */
export interface Acceptance {
  readonly launch: Digest
  /** The plugin that announced it, or `configuration`. */
  readonly owner: string
  /** Digest of each accepted definition, by original name. */
  readonly tools: Readonly<Record<string, Digest>>
  /** Digest of each accepted prompt, by name. */
  readonly prompts: Readonly<Record<string, Digest>>
  /** Digest of the accepted instructions, templates and resources; absent where there are none. */
  readonly features?: Digest
  readonly by: string
  /** A person was shown these definitions and said yes, suspicious text included; not merely the first sight of them. */
  readonly reviewed: boolean
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Reads what was accepted; `unreadable` is not "nothing": a row that makes no sense accepts nothing. */
export async function readAcceptance(
  settings: Settings,
  appId: string,
): Promise<{ readonly acceptance: Acceptance | undefined; readonly version: number; readonly unreadable: boolean }> {
  const row = await settings.get(keyOf(appId))
  if (row === undefined) return { acceptance: undefined, version: 0, unreadable: false }
  const acceptance = parseAcceptance(row.value)
  return { acceptance, version: row.version, unreadable: acceptance === undefined }
}

/** Writes what is accepted from now on. With `expected` only over that version. @returns whether it was written. */
export function writeAcceptance(
  settings: Settings,
  appId: string,
  acceptance: Acceptance,
  expected?: number,
): Promise<boolean> {
  const { features, ...row } = acceptance
  return settings.set(keyOf(appId), { ...row, ...(features !== undefined && { features }) }, expected)
}

function keyOf(appId: string): string {
  return `accepted/${appId}`
}

function parseAcceptance(value: Json): Acceptance | undefined {
  if (!isJsonObject(value)) return undefined
  const { launch, owner, tools, prompts = {}, features, by, reviewed, at } = value
  if (typeof launch !== 'string' || typeof owner !== 'string' || typeof by !== 'string' || typeof at !== 'number') {
    return undefined
  }
  if (!areDigests(tools) || !areDigests(prompts)) return undefined
  if (features !== undefined && typeof features !== 'string') return undefined
  return {
    // A digest is only ever compared for equality, so a text that is none accepts nothing.
    launch: launch as Digest,
    owner,
    tools,
    prompts,
    ...(features !== undefined && { features: features as Digest }),
    by,
    reviewed: reviewed === true,
    at,
  }
}

function areDigests(value: Json | undefined): value is Acceptance['tools'] {
  return isJsonObject(value) && Object.values(value).every((digest) => typeof digest === 'string')
}
