import { type Digest, digestOf, type Json, type JsonObject, redactSecrets } from '@rollcall/plugin'
import type { ArgumentsDigest } from '../gate/arguments-digest.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store, StreamId } from '../store/store.ts'
import type { EndedOutcome } from './end-call.ts'
import type { Holder } from './sealed-handle.ts'

/** What became of calls that waited for a person, for those who ask again a little later. */
export interface KeptOutcomes {
  /** Keeps how a call ended. Its secrets are taken out; one that is too large is not kept. */
  keep(stream: StreamId, principal: string, outcome: EndedOutcome): Promise<void>
  find(stream: StreamId, principal: string): Promise<EndedOutcome | undefined>
  /**
   * The call that an equal one made before, or this one from now on: an equal repeat gets its outcome.
   *
   * @returns the stream of the earlier call; `undefined` where this one is the first
   */
  claim(repeat: Repeat, stream: StreamId): Promise<StreamId | undefined>
  /** Lets the next equal call be a new one. */
  release(repeat: Repeat, stream: StreamId): Promise<void>
}

/** What makes two calls equal. */
export interface Repeat {
  readonly holder: Holder
  readonly tool: string
  readonly definition: Digest
  readonly args: ArgumentsDigest
}

/** The rows of this room in the settings of a store. */
export const outcomePrefix = 'outcome/'
export const repeatPrefix = 'repeat/'

const keptMs = 15 * 60_000
const longestWaitMs = 8 * 24 * 60 * 60_000
const maxBytes = 1_000_000
const sweepMs = 60 * 60_000

/** Makes the room over a store. */
export function createKeptOutcomes({ store, clock }: { readonly store: Store; readonly clock: Clock }): KeptOutcomes {
  const { settings, blobs } = store
  let sweptAt = Number.NEGATIVE_INFINITY

  const rowOf = (stream: StreamId) => `${outcomePrefix}${stream}`

  /** What nobody asks for any more goes, at most once an hour. */
  const sweep = async () => {
    const now = clock.now()
    if (now - sweptAt < sweepMs) return
    sweptAt = now
    for (const [key, value] of await settings.list(outcomePrefix)) {
      if (!isKept(value) || value.until > now) continue
      await blobs.drop(key.slice(outcomePrefix.length) as StreamId)
      await settings.set(key, null)
    }
    for (const [key, value] of await settings.list(repeatPrefix))
      if (!isClaim(value) || value.at < now - longestWaitMs) await settings.set(key, null)
  }

  return {
    async keep(stream, principal, outcome) {
      await sweep()
      const bytes = Buffer.from(JSON.stringify(redacted(outcome as unknown as Json)))
      if (bytes.length > maxBytes) return
      const digest = await blobs.put(bytes, 'application/json', { stream, principal })
      await settings.set(rowOf(stream), { digest, until: clock.now() + keptMs })
    },

    async find(stream, principal) {
      const row = await settings.get(rowOf(stream))
      if (row === undefined || !isKept(row.value) || row.value.until <= clock.now()) return undefined
      const bytes = await blobs.get(row.value.digest, { principal })
      // Written by this very room, and not to be had under another owner.
      return bytes && (JSON.parse(Buffer.from(bytes).toString('utf8')) as EndedOutcome)
    },

    async claim(repeat, stream) {
      await sweep()
      const key = keyOf(repeat)
      for (;;) {
        const row = await settings.get(key)
        if (row !== undefined && isClaim(row.value) && row.value.stream !== stream) return row.value.stream as StreamId
        if (await settings.set(key, { stream, at: clock.now() }, row?.version ?? 0)) return undefined
      }
    },

    async release(repeat, stream) {
      const key = keyOf(repeat)
      const row = await settings.get(key)
      if (row !== undefined && isClaim(row.value) && row.value.stream === stream)
        await settings.set(key, null, row.version)
    },
  }
}

/** Milliseconds after its end in which an equal call gets the outcome of this one. */
export const repeatWindowMs = keptMs

function keyOf({ holder, tool, definition, args }: Repeat): string {
  const { principal, profile = 'direct', client } = holder
  const who = [principal.id, profile, client?.name ?? null]
  return `${repeatPrefix}${digestOf([who, tool, definition, args]).slice('sha256:'.length)}`
}

function redacted(value: Json): Json {
  if (typeof value === 'string') return redactSecrets(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((part: Json) => redacted(part))
  return Object.fromEntries(Object.entries(value as JsonObject).map(([key, part]) => [key, redacted(part)]))
}

function isKept(value: Json): value is { readonly digest: Digest; readonly until: number } {
  const { digest, until } = membersOf(value)
  return typeof digest === 'string' && typeof until === 'number'
}

function isClaim(value: Json): value is { readonly stream: string; readonly at: number } {
  const { stream, at } = membersOf(value)
  return typeof stream === 'string' && typeof at === 'number'
}

function membersOf(value: Json): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
