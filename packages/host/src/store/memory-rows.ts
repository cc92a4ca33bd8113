import type { Digest } from '@rollcall/plugin'
import { type MemoryBlob, type MemoryBlobRows, putBlob } from './memory-blobs.ts'
import { dumpSettings, type MemorySettingRows } from './memory-settings.ts'
import type { ChainLink, Head, Store, StreamId } from './store.ts'
import { storeNotEmpty } from './store-not-empty.ts'
import type { StoreRow, StoreRows } from './store-row.ts'

interface MemoryEvent {
  readonly sequence: number
  readonly at: number
  readonly text: string
  /** Absent in what an older program wrote. */
  readonly chain?: string
  readonly link?: number
  readonly digest?: Digest
}

export type MemoryStreams = Map<StreamId, { readonly events: MemoryEvent[]; head: Head; working: string | undefined }>

interface MemoryTables {
  readonly streams: MemoryStreams
  readonly settings: MemorySettingRows
  readonly blobs: MemoryBlobRows
}

/** The chains of links that the events of all writers are. */
export function createMemoryChains(
  { streams, blobs }: MemoryTables,
  assertOpen: () => void,
): Pick<Store, 'chains' | 'links' | 'unchained' | 'prune'> {
  const allLinks = (): Map<string, ChainLink[]> => {
    assertOpen()
    const chains = new Map<string, ChainLink[]>()
    for (const [stream, { events }] of streams)
      for (const { chain, link, digest, ...event } of events) {
        if (chain === undefined || link === undefined || digest === undefined) continue
        const links = chains.get(chain) ?? []
        links.push({ chain, link, previous: '', digest, stream, ...event })
        chains.set(chain, links)
      }
    for (const links of chains.values()) links.sort((one, other) => one.link - other.link)
    return chains
  }

  return {
    async chains() {
      return [...allLinks()].flatMap(([chain, links]) => {
        const [first] = links
        const last = links.at(-1)
        return first && last ? [{ chain, from: first.link, to: last.link, digest: last.digest }] : []
      })
    },

    async *links(chain, after = 0) {
      let previous: ChainLink['previous'] = ''
      for (const link of (allLinks().get(chain) ?? []).filter(({ link }) => link > after)) {
        yield { ...link, previous }
        previous = link.digest
      }
    },

    async unchained() {
      assertOpen()
      return [...streams.values()].flatMap(({ events }) => events).filter(({ chain }) => chain === undefined).length
    },

    async prune(cuts) {
      assertOpen()
      const upTo = new Map(cuts.map(({ chain, upTo }) => [chain, upTo]))
      let removed = 0
      for (const [stream, { events }] of streams) {
        const left = events.filter(({ chain = '', link = 0 }) => link > (upTo.get(chain) ?? -1))
        if (left.length === events.length) continue
        removed += events.length - left.length
        events.splice(0, events.length, ...left)
        if (left.length > 0) continue
        streams.delete(stream)
        for (const [key, blob] of blobs) if (blob.stream === stream) blobs.delete(key)
      }
      return removed
    },
  }
}

/** The maps of a store in memory as a whole. */
export function createMemoryRows({ streams, settings, blobs }: MemoryTables, assertOpen: () => void): StoreRows {
  const dump = function* (): Iterable<StoreRow> {
    for (const [stream, { events }] of streams)
      for (const { text: event, chain = null, link = null, digest = null, ...place } of events)
        yield { table: 'events', stream, ...place, event, chain, link, digest }
    for (const { head, working = null } of streams.values()) {
      const { dueAt = null, parent = null, key = null, ...rest } = head
      yield { table: 'heads', ...rest, dueAt, parent, key, working }
    }
    yield* dumpSettings(settings)
    for (const { bytes, ...blob } of blobs.values())
      yield { table: 'blobs', ...blob, bytes: Buffer.from(bytes).toString('base64') }
  }
  const counts = () => {
    assertOpen()
    const events = [...streams.values()].reduce((sum, stream) => sum + stream.events.length, 0)
    return { events, heads: streams.size, settings: settings.size, blobs: blobs.size }
  }

  return {
    kind: 'memory',
    schema: { found: 0, version: 1 },
    counts: async () => counts(),

    async *dump() {
      assertOpen()
      yield* [...dump()]
    },

    async setting(key) {
      assertOpen()
      const row = settings.get(key)
      return row && { value: row.text ?? null, version: row.version }
    },

    async settings(prefix) {
      assertOpen()
      return [...settings]
        .flatMap(([key, { text, version }]) =>
          text !== undefined && key.startsWith(prefix) ? [{ key, value: text, version }] : [],
        )
        .sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)))
    },

    async swapSetting(key, value, version) {
      assertOpen()
      if ((settings.get(key)?.version ?? 0) !== version) return false
      settings.set(key, { text: value, version: version + 1 })
      return true
    },

    async replace(row, value) {
      assertOpen()
      if (row.table === 'heads') {
        const entry = streams.get(row.stream)
        if (entry === undefined || entry.working === undefined || entry.working !== row.working) return false
        entry.working = value
        return true
      }
      if (row.table === 'settings') {
        const found = settings.get(row.key)
        if (found?.text === undefined || found.text !== row.value || found.version !== row.version) return false
        settings.set(row.key, { text: value, version: row.version })
        return true
      }
      if (row.table !== 'blobs') return false
      const place = { digest: row.digest as Digest, stream: row.stream, principal: row.principal, type: row.type }
      const found = blobs.values().find((blob) => isAt(blob, place))
      if (found === undefined || Buffer.from(found.bytes).toString('base64') !== row.bytes) return false
      putBlob(blobs, { ...place, bytes: Buffer.from(value, 'base64') })
      return true
    },

    async load(rows) {
      const given = await Array.fromAsync(rows)
      if (Object.values(counts()).some((count) => count > 0)) throw storeNotEmpty()
      for (const row of given) {
        if (row.table === 'settings') settings.set(row.key, { text: row.value ?? undefined, version: row.version })
        else if (row.table === 'heads') streams.set(row.stream, toStream(row))
        else if (row.table === 'blobs') {
          const { digest, stream, principal, type } = row
          putBlob(blobs, { digest: digest as Digest, stream, principal, type, bytes: Buffer.from(row.bytes, 'base64') })
        }
      }
      for (const row of given) if (row.table === 'events') streams.get(row.stream)?.events.push(toEvent(row))
      return given.length
    },
  }
}

function isAt(blob: MemoryBlob, { digest, stream, principal }: Omit<MemoryBlob, 'bytes'>): boolean {
  return blob.digest === digest && blob.stream === stream && blob.principal === principal
}

function toStream(row: Extract<StoreRow, { table: 'heads' }>) {
  const { stream, length, status, principal, dueAt, parent, key, working } = row
  const head: Head = {
    stream,
    length,
    status,
    principal,
    ...(dueAt !== null && { dueAt }),
    ...(parent !== null && { parent: parent as StreamId }),
    ...(key !== null && { key }),
  }
  return { events: [], head, working: working ?? undefined }
}

function toEvent({ sequence, at, event, chain, link, digest }: Extract<StoreRow, { table: 'events' }>): MemoryEvent {
  if (chain === null || link === null || digest === null) return { sequence, at, text: event }
  return { sequence, at, text: event, chain, link, digest: digest as Digest }
}
