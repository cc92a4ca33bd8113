import type { Digest, Json } from '@rollcall/plugin'

export type StreamId = `call/${string}` | `run/${string}` | `conversation/${string}`

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
  readonly kind: 'call' | 'run' | 'conversation'
  readonly status?: string
  readonly principal?: string
  readonly key?: string
  readonly dueBefore?: number
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
  readonly settings: Settings
  readonly blobs: Blobs
}
