import { createHash } from 'node:crypto'
import { type Digest, RollcallError } from '@rollcall/plugin'
import type { Clock } from '../ports/clock.ts'
import { systemClock } from '../ports/system-clock.ts'
import { createChainWriter } from './chain-writer.ts'
import type {
  AppendedEvent,
  Blobs,
  ChainLink,
  Head,
  HeadQuery,
  Settings,
  Store,
  StoredEvent,
  StreamId,
} from './store.ts'
import { fromStoredJson, toStoredJson } from './stored-json.ts'

interface Kept {
  readonly sequence: number
  readonly at: number
  readonly text: string
  readonly link: ChainLink
}

interface Stream {
  readonly events: Kept[]
  head: Head
  working: string | undefined
}

interface Blob {
  readonly digest: Digest
  readonly stream: StreamId
  readonly principal: string
  readonly bytes: Uint8Array
}

/** Makes a store that lives as long as its process: the default of a host, and what tests use. */
export function createMemoryStore(options: { readonly clock?: Clock } = {}): Store {
  const clock = options.clock ?? systemClock
  const streams = new Map<StreamId, Stream>()
  const writer = createChainWriter()
  let links: ChainLink[] = []
  let isClosed = false
  const assertOpen = () => {
    if (!isClosed) return
    throw new RollcallError('STORE_UNAVAILABLE', 'The store in memory is closed.', {
      hint: 'Close the host before its store, or make a new store.',
    })
  }

  const blobs = createBlobs(assertOpen)

  return {
    async append(stream, expectedLength, events, head, working) {
      assertOpen()
      const at = clock.now()
      const added = events.map((event) => ({ at, text: toStoredJson(event) }))
      const workingText = working === undefined ? undefined : toStoredJson(working)
      const known = streams.get(stream)
      if ((known?.head.length ?? 0) !== expectedLength) return 'conflict'
      const entry = known ?? { events: [], head: { ...head, stream, length: 0 }, working: undefined }
      for (const { text } of added) {
        const sequence = entry.head.length + 1
        const { digest: previous } = writer
        const { link, digest } = writer.next({ stream, sequence, at, text })
        const made: ChainLink = { chain: writer.id, link, previous, digest, stream, sequence, at, text }
        links.push(made)
        entry.events.push({ sequence, at, text, link: made })
        entry.head = { ...entry.head, length: sequence }
      }
      entry.head = { ...head, stream, length: entry.head.length }
      entry.working = workingText
      streams.set(stream, entry)
      return 'appended'
    },

    async working(stream) {
      assertOpen()
      const text = streams.get(stream)?.working
      return text === undefined ? undefined : fromStoredJson(text)
    },

    async *read(stream, after = 0) {
      assertOpen()
      for (const { sequence, at, text } of [...(streams.get(stream)?.events ?? [])])
        if (sequence > after) yield { stream, sequence, at, v: 1, event: toEvent(text) } satisfies StoredEvent
    },

    async head(stream) {
      assertOpen()
      const head = streams.get(stream)?.head
      return head && { ...head }
    },

    async heads(query) {
      assertOpen()
      return [...streams.values()].filter(({ head }) => matches(head, query)).map(({ head }) => ({ ...head }))
    },

    chain: writer,

    async chains() {
      assertOpen()
      const [first] = links
      const last = links.at(-1)
      if (first === undefined || last === undefined) return []
      return [{ chain: writer.id, from: first.link, to: last.link, digest: last.digest }]
    },

    async *links(chain) {
      assertOpen()
      if (chain === writer.id) yield* [...links]
    },

    async unchained() {
      assertOpen()
      return 0
    },

    async prune(cuts) {
      assertOpen()
      const upTo = cuts.find(({ chain }) => chain === writer.id)?.upTo ?? 0
      const before = links.length
      links = links.filter(({ link }) => link > upTo)
      for (const [stream, { events }] of streams) {
        const left = events.filter(({ link }) => link.link > upTo)
        if (left.length === events.length) continue
        events.splice(0, events.length, ...left)
        if (left.length > 0) continue
        streams.delete(stream)
        await blobs.drop(stream)
      }
      return before - links.length
    },

    settings: createSettings(assertOpen),
    blobs,

    async [Symbol.asyncDispose]() {
      isClosed = true
      streams.clear()
    },
  }
}

function matches(head: Head, { kind, status, principal, key, dueBefore }: HeadQuery): boolean {
  return (
    head.stream.startsWith(`${kind}/`) &&
    (status === undefined || head.status === status) &&
    (principal === undefined || head.principal === principal) &&
    (key === undefined || head.key === key) &&
    (dueBefore === undefined || (head.dueAt !== undefined && head.dueAt < dueBefore))
  )
}

function toEvent(text: string): AppendedEvent {
  return fromStoredJson(text) as unknown as AppendedEvent
}

function createSettings(assertOpen: () => void): Settings {
  // A removed row keeps its version, so that an old version never fits a row that was written anew.
  const rows = new Map<string, { readonly text: string | undefined; readonly version: number }>()

  return {
    async get(key) {
      assertOpen()
      const row = rows.get(key)
      return row?.text === undefined ? undefined : { value: fromStoredJson(row.text), version: row.version }
    },

    async set(key, value, expected) {
      assertOpen()
      const text = value === null ? undefined : toStoredJson(value)
      const row = rows.get(key)
      if (expected !== undefined && expected !== (row?.text === undefined ? 0 : row.version)) return false
      if (text !== undefined || row !== undefined) rows.set(key, { text, version: (row?.version ?? 0) + 1 })
      return true
    },

    async list(prefix) {
      assertOpen()
      return [...rows]
        .flatMap(([key, { text }]) => (text !== undefined && key.startsWith(prefix) ? [[key, text] as const] : []))
        .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
        .map(([key, text]) => [key, fromStoredJson(text)] as const)
    },
  }
}

function createBlobs(assertOpen: () => void): Blobs {
  const blobs = new Map<string, Blob>()

  return {
    async put(bytes, _type, { stream, principal }) {
      assertOpen()
      const digest: Digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
      blobs.set(JSON.stringify([digest, stream, principal]), {
        digest,
        stream,
        principal,
        bytes: new Uint8Array(bytes),
      })
      return digest
    },

    async get(digest, { principal }) {
      assertOpen()
      const blob = blobs.values().find((blob) => blob.digest === digest && blob.principal === principal)
      return blob && new Uint8Array(blob.bytes)
    },

    async drop(stream) {
      assertOpen()
      for (const [key, blob] of blobs) if (blob.stream === stream) blobs.delete(key)
    },
  }
}
