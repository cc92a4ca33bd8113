import { RollcallError } from '@rollcall/plugin'
import type { Clock } from '../ports/clock.ts'
import { systemClock } from '../ports/system-clock.ts'
import { createChainWriter } from './chain-writer.ts'
import { createMemoryBlobs, type MemoryBlobRows } from './memory-blobs.ts'
import { createMemoryChains, createMemoryRows, type MemoryStreams } from './memory-rows.ts'
import { createMemorySettings, type MemorySettingRows } from './memory-settings.ts'
import type { AppendedEvent, Head, HeadQuery, Store, StoredEvent } from './store.ts'
import { fromStoredJson, toStoredJson } from './stored-json.ts'

/** Makes a store that lives as long as its process: the default of a host, and what tests use. */
export function createMemoryStore(options: { readonly clock?: Clock } = {}): Store {
  const clock = options.clock ?? systemClock
  const streams: MemoryStreams = new Map()
  const settingRows: MemorySettingRows = new Map()
  const blobRows: MemoryBlobRows = new Map()
  const writer = createChainWriter()
  let isClosed = false
  const assertOpen = () => {
    if (!isClosed) return
    throw new RollcallError('STORE_UNAVAILABLE', 'The store in memory is closed.', {
      hint: 'Close the host before its store, or make a new store.',
    })
  }

  const tables = { streams, settings: settingRows, blobs: blobRows }

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
        entry.events.push({ sequence, at, text, chain: writer.id, ...writer.next({ stream, sequence, at, text }) })
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

    ...createMemoryChains(tables, assertOpen),
    settings: createMemorySettings(settingRows, assertOpen),
    blobs: createMemoryBlobs(blobRows, assertOpen),
    rows: createMemoryRows(tables, assertOpen),

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
