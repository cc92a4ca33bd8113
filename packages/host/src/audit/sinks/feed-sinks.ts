import { randomUUID } from 'node:crypto'
import type { Json, Logger } from '@rollcall/plugin'
import type { CallEvent } from '../../invoke/call-event.ts'
import { describeThrown } from '../../isolation/describe-thrown.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store, StreamId } from '../../store/store.ts'
import { fromStoredJson } from '../../store/stored-json.ts'
import { type AuditRecord, isSameDenial, recordOf } from '../audit-record.ts'
import { PartlyRefused } from './otlp-sink.ts'
import type { AuditSink } from './sink.ts'
import { cursorRow, readCursor, type SinkCursor, sinkPrefix, sinkStatePrefix } from './sink-rows.ts'

const lookMs = 1_000
const sweepMs = 60_000
const longestPauseMs = 5 * 60_000
/** Whoever sends has a chain to itself for so long. */
const leaseMs = 30_000
const batchLinks = 200

export interface FeedOptions {
  readonly store: Store
  readonly sinks: readonly AuditSink[]
  /** Whether what is kept of the content of calls goes along. */
  readonly content: boolean
  readonly clock: Clock
  readonly logger: Logger
  readonly signal: AbortSignal
}

/**
 * Sends every call that is over to each sink, at least once and beside everything else, until the signal aborts. A process
 * sends what it has written itself, and takes over what others have left; how far a sink is stands in the store, and is
 * written after the sink has got it. A sink that is away is tried again later and later, up to every five minutes.
 */
export function feedSinks(options: FeedOptions): void {
  for (const sink of options.sinks) void feed(sink, { ...options, me: randomUUID() })
}

/** One feeder among those of all processes. */
interface Feeder extends FeedOptions {
  readonly me: string
}

async function feed(sink: AuditSink, options: Feeder): Promise<void> {
  const { store, clock, logger, signal } = options
  let pauseMs = lookMs
  let sweptAt = Number.NEGATIVE_INFINITY
  let sentUpTo = -1
  while (!signal.aborted) {
    try {
      if (store.chain.link !== sentUpTo) {
        const upTo = store.chain.link
        if (await ship(sink, store.chain.id, options)) sentUpTo = upTo
      }
      if (clock.now() - sweptAt >= sweepMs) {
        await sweep(sink, options)
        sweptAt = clock.now()
      }
      if (pauseMs > lookMs) await store.settings.set(`${sinkStatePrefix}${sink.id}`, null)
      pauseMs = lookMs
    } catch (error) {
      if (signal.aborted) return
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      const { message } = describeThrown(error)
      logger.warn('an audit sink does not take what it is sent', { sink: sink.id, message, nextTryMs: pauseMs })
      await store.settings.set(`${sinkStatePrefix}${sink.id}`, { message, at: clock.now() }).catch(() => {})
    }
    await clock.sleep(pauseMs, signal)
  }
}

/** What others have written and nobody has sent; and rows about chains that are gone. */
async function sweep(sink: AuditSink, options: Feeder): Promise<void> {
  const { store, signal } = options
  const chains = new Map((await store.chains()).map(({ chain, to }) => [chain, to]))
  const rows = new Map<string, Json>(await store.settings.list(`${sinkPrefix}${sink.id}/`))
  for (const key of rows.keys())
    if (!chains.has(key.slice(key.lastIndexOf('/') + 1))) await store.settings.set(key, null)
  for (const [chain, to] of chains) {
    if (signal.aborted) return
    const { link } = readCursor(rows.get(cursorRow(sink.id, chain)))
    if (chain !== store.chain.id && link < to) await ship(sink, chain, options)
  }
}

/**
 * Sends what a chain holds behind the cursor, batch by batch.
 *
 * @returns false where somebody else is at it
 */
async function ship(sink: AuditSink, chain: string, options: Feeder): Promise<boolean> {
  const { store, clock, logger, signal, me } = options
  const key = cursorRow(sink.id, chain)
  while (!signal.aborted) {
    const row = await store.settings.get(key)
    const cursor = readCursor(row?.value)
    if (cursor.until > clock.now() && cursor.by !== me) return false
    const { ended, upTo } = await endedBehind(store, chain, cursor.link)
    if (upTo === cursor.link) return true
    const claim: SinkCursor = { link: cursor.link, by: me, until: clock.now() + leaseMs }
    if (!(await store.settings.set(key, claim as unknown as Json, row?.version ?? 0))) return false
    const records = await recordsOf(ended, options)
    if (records.length > 0)
      await sink.deliver({ id: `${sink.id}.${chain}.${cursor.link}`, records }, signal).catch((error: unknown) => {
        if (!(error instanceof PartlyRefused)) throw error
        logger.warn('an audit sink refused records', { sink: sink.id, message: error.message })
      })
    const done: SinkCursor = { link: upTo, by: me, until: 0 }
    // Only if nobody has taken over meanwhile, who may be further.
    if (!(await store.settings.set(key, done as unknown as Json, (row?.version ?? 0) + 1))) return false
  }
  return false
}

/** The calls that ended behind a link of a chain, and how far that is. */
async function endedBehind(
  store: Store,
  chain: string,
  link: number,
): Promise<{ readonly ended: readonly StreamId[]; readonly upTo: number }> {
  const ended: StreamId[] = []
  let upTo = link
  let seen = 0
  for await (const one of store.links(chain, link)) {
    upTo = one.link
    const event = fromStoredJson(one.text) as unknown as CallEvent
    if (event.type === 'call.ended') ended.push(one.stream)
    seen += 1
    if (seen >= batchLinks) break
  }
  return { ended, upTo }
}

async function recordsOf(streams: readonly StreamId[], { store, content }: FeedOptions): Promise<AuditRecord[]> {
  const records: AuditRecord[] = []
  for (const stream of streams) {
    const record = await recordOf(store, stream, { content })
    const last = records.at(-1)
    if (record === undefined) continue
    if (last !== undefined && isSameDenial(last, record))
      records[records.length - 1] = { ...last, times: (last.times ?? 1) + 1 }
    else records.push(record)
  }
  return records
}
