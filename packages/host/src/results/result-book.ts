import { type Digest, type Json, type JsonObject, RollcallError } from '@rollcall/plugin'
import type { Clock } from '../ports/clock.ts'
import type { Store, StreamId } from '../store/store.ts'

/** Whole results of which a model got a part. */
export interface ResultBook {
  /** Keeps a text; the oldest of its owner make room. */
  keep(
    text: string,
    owner: { readonly principal: string; readonly callId: string; readonly tool: string },
  ): Promise<Digest>
  /** The text and the tool it came from; `undefined` where it is over, or somebody else's. */
  find(callId: string, principal: string): Promise<{ readonly text: string; readonly tool: string } | undefined>
}

/** The rows of this room in the settings of a store. */
export const resultPrefix = 'result/'

const keptMs = 7 * 24 * 60 * 60_000
const quotaBytes = 100_000_000
const sweepMs = 60 * 60_000

interface Row {
  readonly digest: Digest
  readonly principal: string
  readonly tool: string
  readonly bytes: number
  readonly at: number
}

/** Makes the book over a store. */
export function createResultBook({ store, clock }: { readonly store: Store; readonly clock: Clock }): ResultBook {
  const { settings, blobs } = store
  let sweptAt = Number.NEGATIVE_INFINITY

  const rows = async (): Promise<readonly (readonly [key: string, row: Row])[]> =>
    (await settings.list(resultPrefix)).flatMap(([key, value]) => (isRow(value) ? [[key, value] as const] : []))
  const drop = async (key: string) => {
    // The blob first: a row without one finds nothing, a blob without a row would stay for ever.
    await blobs.drop(streamOf(key.slice(resultPrefix.length)))
    await settings.set(key, null)
  }
  const sweep = async () => {
    if (clock.now() - sweptAt < sweepMs) return
    sweptAt = clock.now()
    for (const [key, { at }] of await rows()) if (at <= clock.now() - keptMs) await drop(key)
  }
  const makeRoom = async (principal: string, bytes: number) => {
    const own = (await rows()).filter(([, row]) => row.principal === principal).toSorted(([, a], [, b]) => a.at - b.at)
    let used = own.reduce((sum, [, row]) => sum + row.bytes, bytes)
    for (const [key, row] of own) {
      if (used <= quotaBytes) return
      await drop(key)
      used -= row.bytes
    }
  }

  return {
    async keep(text, { principal, callId, tool }) {
      await sweep()
      const bytes = Buffer.from(text)
      if (bytes.length > quotaBytes) {
        throw new RollcallError(
          'TOOL_FAILED',
          `The result has ${bytes.length} bytes, over the limit of ${quotaBytes}.`,
          {
            hint: 'Ask the tool for less at a time.',
          },
        )
      }
      await makeRoom(principal, bytes.length)
      const digest = await blobs.put(bytes, 'text/plain', { stream: streamOf(callId), principal })
      const row: Row = { digest, principal, tool, bytes: bytes.length, at: clock.now() }
      await settings.set(`${resultPrefix}${callId}`, row as unknown as Json)
      return digest
    },

    async find(callId, principal) {
      const row = (await settings.get(`${resultPrefix}${callId}`))?.value
      if (row === undefined || !isRow(row) || row.principal !== principal || row.at <= clock.now() - keptMs)
        return undefined
      const bytes = await blobs.get(row.digest, { principal })
      return bytes && { text: Buffer.from(bytes).toString('utf8'), tool: row.tool }
    },
  }
}

// Apart from the call's own blobs, which go earlier.
function streamOf(callId: string): StreamId {
  return `call/${callId}#result`
}

function isRow(value: Json): value is Json & Row {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { digest, principal, tool, bytes, at } = value as JsonObject
  return (
    [digest, principal, tool].every((text) => typeof text === 'string') &&
    typeof bytes === 'number' &&
    typeof at === 'number'
  )
}
