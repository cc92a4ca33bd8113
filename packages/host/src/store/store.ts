import type { Digest, Json } from '@rollcall/plugin'
import type { StoreRows } from './store-row.ts'

export type StreamId = `call/${string}` | `run/${string}` | `conversation/${string}` | `audit/${string}`

/** One journal entry, named in dotted past tense. */
export interface AppendedEvent {
  readonly type: string
}

export interface StoredEvent<E extends AppendedEvent = AppendedEvent> {
  readonly stream: StreamId
  /** 1 for the first event of a stream. */
  readonly sequence: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly v: 1
  readonly event: E
}

/** What is known of a stream without reading it. */
export interface Head {
  readonly stream: StreamId
  /** Number of events. */
  readonly length: number
  readonly status: string
  readonly principal: string
  /** Milliseconds since the epoch at which somebody must look at it. */
  readonly dueAt?: number
  readonly parent?: StreamId
  readonly key?: string
}

export interface HeadQuery {
  readonly kind: 'call' | 'run' | 'conversation' | 'audit'
  readonly status?: string
  readonly principal?: string
  readonly key?: string
  readonly dueBefore?: number
}

/** One event as a link in the chain of the store that wrote it: what comes after it vouches for it. */
export interface ChainLink {
  /** Of one opened store, so of one process. */
  readonly chain: string
  /** 1 for the first. */
  readonly link: number
  /** The digest of the link before; empty for the first that is there. */
  readonly previous: Digest | ''
  readonly digest: Digest
  readonly stream: StreamId
  readonly sequence: number
  readonly at: number
  /** The event as it was stored. */
  readonly text: string
}

/** How far a chain goes. */
export interface ChainState {
  readonly chain: string
  /** The first link that is there. */
  readonly from: number
  readonly to: number
  /** The digest of the last link. */
  readonly digest: Digest
}

/** Small versioned rows: switches, acceptances, trust. */
export interface Settings {
  get(key: string): Promise<{ readonly value: Json; readonly version: number } | undefined>
  /**
   * Writes a row; `null` removes it. With `expected` only if that is still its version (0: absent).
   *
   * @returns false when `expected` is no longer the stored version.
   */
  set(key: string, value: Json, expected?: number): Promise<boolean>
  /** All rows whose key begins with the prefix, in key order. */
  list(prefix: string): Promise<readonly (readonly [key: string, value: Json])[]>
}

/** Whole results and artifacts, by digest; a foreign owner's blob looks unknown. */
export interface Blobs {
  put(
    bytes: Uint8Array,
    type: string,
    owner: { readonly stream: StreamId; readonly principal: string },
    /** What it is found by; default: the digest of the bytes. */
    digest?: Digest,
  ): Promise<Digest>
  get(digest: Digest, owner: { readonly principal: string }): Promise<Uint8Array | undefined>
  drop(stream: StreamId): Promise<void>
}

/** One append-only store; every guard is the same compare-and-set: "append if the length is n". */
export interface Store extends AsyncDisposable {
  /**
   * Appends if the stream has exactly that length; head and working copy are written in the same transaction.
   * `working` absent: the working copy is emptied.
   */
  append(
    stream: StreamId,
    expectedLength: number,
    events: readonly AppendedEvent[],
    head: Omit<Head, 'stream' | 'length'>,
    working?: Json,
  ): Promise<'appended' | 'conflict'>
  /** Arguments, preview or form of what isn't over. */
  working(stream: StreamId): Promise<Json | undefined>
  read(stream: StreamId, after?: number): AsyncIterable<StoredEvent>
  head(stream: StreamId): Promise<Head | undefined>
  heads(query: HeadQuery): Promise<readonly Head[]>
  /** The chains of all who wrote into this store, in no order that means anything. */
  chains(): Promise<readonly ChainState[]>
  /** The links of a chain, from the first that is there, or behind this one; the first one's `previous` is empty. */
  links(chain: string, after?: number): AsyncIterable<ChainLink>
  /** Events that an older program wrote, which made no links. */
  unchained(): Promise<number>
  /**
   * Removes the beginnings of chains, each up to a link, and what is then left of no event: heads and blobs.
   *
   * @returns the number of events that were removed
   */
  prune(cuts: readonly { readonly chain: string; readonly upTo: number }[]): Promise<number>
  /** The chain of this opened store: what it has written so far. */
  readonly chain: { readonly id: string; readonly link: number; readonly digest: Digest | '' }
  readonly settings: Settings
  readonly blobs: Blobs
  readonly rows: StoreRows
}
