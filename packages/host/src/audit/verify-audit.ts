import type { KeyObject } from 'node:crypto'
import type { Digest, Json } from '@rollcall/plugin'
import { linkDigest } from '../store/chain-writer.ts'
import type { ChainLink, ChainState, Store } from '../store/store.ts'
import { type AuditEvent, asAuditEvent, type Cut } from './audit-event.ts'
import { isSigned, keyName } from './audit-key.ts'

/** Something that is not as it was written, and where. */
export interface AuditBreak {
  readonly chain: string
  readonly link: number
  /** The stream of the row, where there is one. */
  readonly stream?: string
  readonly what: string
}

/** What was found of a store's events. */
export interface AuditReport {
  readonly chains: number
  readonly rows: number
  /** Rows of older programs, for which nobody vouches. */
  readonly unchained: number
  readonly checkpoints: number
  /** Rows behind the last checkpoint of their chain: that these are all, nobody can tell. */
  readonly uncovered: number
  readonly breaks: readonly AuditBreak[]
}

const maxBreaks = 100

/**
 * Checks every link of every chain: that nothing was changed, removed, put in or reckoned anew. Needs the public part of
 * the key only.
 *
 * @throws {RollcallError} `STORE_UNAVAILABLE`.
 */
export async function verifyAudit(store: Store, key: KeyObject): Promise<AuditReport> {
  const chains = await store.chains()
  const events = new Map<string, readonly Signed[]>()
  for (const { chain } of chains) events.set(chain, await signedIn(store, chain))
  const breaks: AuditBreak[] = []
  const note = (found: AuditBreak) => {
    if (breaks.length < maxBreaks) breaks.push(found)
  }
  const trusted = [...events].flatMap(([chain, all]) =>
    all.filter(({ event, at }) => {
      if (isSigned(event, key)) return true
      const other = event.key !== keyName(key)
      note({
        chain,
        link: at,
        stream: `audit/${chain}`,
        what: other ? `signed with another key, ${event.key}` : 'a signature that is none',
      })
      return false
    }),
  )
  const cuts = newestCuts(trusted)
  let rows = 0
  let uncovered = 0
  for (const state of chains) {
    const vouched = new Map(
      trusted.flatMap(({ event }) =>
        event.type === 'audit.checkpoint' && event.chain === state.chain ? [[event.link, event.digest] as const] : [],
      ),
    )
    const counted = await checkChain(store, state, { cut: cuts.get(state.chain), vouched, note })
    rows += counted.rows
    uncovered += counted.uncovered
  }
  missing(trusted, chains, cuts).forEach(note)
  const checkpoints = trusted.filter(({ event }) => event.type === 'audit.checkpoint').length
  return { chains: chains.length, rows, unchained: await store.unchained(), checkpoints, uncovered, breaks }
}

interface Signed {
  readonly event: AuditEvent
  /** The link that it is. */
  readonly at: number
}

async function signedIn(store: Store, chain: string): Promise<readonly Signed[]> {
  const found: Signed[] = []
  for await (const { stream, text, link } of store.links(chain)) {
    if (!stream.startsWith('audit/')) continue
    const event = asAuditEvent(parsed(text))
    if (event !== undefined) found.push({ event, at: link })
  }
  return found
}

async function checkChain(
  store: Store,
  { chain, from }: ChainState,
  known: {
    readonly cut: Cut | undefined
    readonly vouched: ReadonlyMap<number, Digest>
    readonly note: (found: AuditBreak) => void
  },
): Promise<{ readonly rows: number; readonly uncovered: number }> {
  const { cut, vouched, note } = known
  let rows = 0
  let next = (cut?.upTo ?? 0) + 1
  let previous: Digest | '' = cut?.digest ?? ''
  if (from < next) note({ chain, link: from, what: 'a link that was removed is there again' })
  for await (const row of store.links(chain)) {
    rows += 1
    const { link, stream } = row
    const say = (what: string) => note({ chain, link, stream, what })
    if (link !== next) say(link > next ? `${link - next} links before it are missing` : 'a link that is there twice')
    else if (!isItself(row, previous)) say('changed, or what stood before it')
    const digest = vouched.get(link)
    if (digest !== undefined && digest !== row.digest) say('reckoned anew: a checkpoint vouches for another digest')
    previous = row.digest
    next = link + 1
  }
  const covered = Math.max(0, ...vouched.keys())
  if (covered >= next) note({ chain, link: next, what: `the end is missing: a checkpoint vouches for link ${covered}` })
  return { rows, uncovered: Math.max(0, next - 1 - Math.max(covered, cut?.upTo ?? 0)) }
}

function isItself(row: ChainLink, previous: Digest | ''): boolean {
  const { chain, link, stream, sequence, at, text, digest } = row
  return digest === linkDigest({ chain, link, previous, stream, sequence, at, text })
}

/** Whole chains of which another one's checkpoint, or a cut, says that they were there. */
function missing(
  trusted: readonly Signed[],
  chains: readonly ChainState[],
  cuts: ReadonlyMap<string, Cut>,
): readonly AuditBreak[] {
  const reached = new Map(chains.map(({ chain, to }) => [chain, to]))
  const seen = new Map<string, number>()
  for (const { event } of trusted) {
    if (event.type !== 'audit.checkpoint') continue
    for (const { chain, upTo } of event.others) seen.set(chain, Math.max(upTo, seen.get(chain) ?? 0))
  }
  return [...seen].flatMap(([chain, upTo]) => {
    const to = Math.max(reached.get(chain) ?? 0, cuts.get(chain)?.upTo ?? 0)
    if (to >= upTo) return []
    return [{ chain, link: to + 1, what: `the end is missing: another writer saw link ${upTo}` }]
  })
}

/** The farthest cut of each chain. */
function newestCuts(trusted: readonly Signed[]): ReadonlyMap<string, Cut> {
  const cuts = new Map<string, Cut>()
  for (const { event } of trusted) {
    if (event.type !== 'audit.pruned') continue
    for (const cut of event.cuts) if (cut.upTo > (cuts.get(cut.chain)?.upTo ?? 0)) cuts.set(cut.chain, cut)
  }
  return cuts
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}
