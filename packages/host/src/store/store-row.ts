import type { StreamId } from './store.ts'

/** The four tables of every store. */
export const storeTables = ['events', 'heads', 'settings', 'blobs'] as const

export type StoreTable = (typeof storeTables)[number]

/** A row of a table as it is stored: what is sealed stays sealed. */
export type StoreRow =
  | {
      readonly table: 'events'
      readonly stream: StreamId
      readonly sequence: number
      readonly at: number
      readonly event: string
      /** Absent in rows of a program that made no links. */
      readonly chain: string | null
      readonly link: number | null
      readonly digest: string | null
    }
  | {
      readonly table: 'heads'
      readonly stream: StreamId
      readonly length: number
      readonly status: string
      readonly principal: string
      readonly dueAt: number | null
      readonly parent: string | null
      readonly key: string | null
      readonly working: string | null
    }
  | { readonly table: 'settings'; readonly key: string; readonly value: string | null; readonly version: number }
  | {
      readonly table: 'blobs'
      readonly digest: string
      readonly stream: StreamId
      readonly principal: string
      readonly type: string
      /** In base64. */
      readonly bytes: string
    }

/** The version of a schema: as it was found (0: a new database), and as it is now. */
export interface SchemaVersions {
  readonly found: number
  readonly version: number
}

/** The tables of a store as a whole: for backups, and for whoever keeps the database. */
export interface StoreRows {
  readonly kind: 'memory' | 'SQLite' | 'PostgreSQL'
  readonly schema: SchemaVersions
  counts(): Promise<Readonly<Record<StoreTable, number>>>
  /** Every row as of one moment, table by table; heads in the order in which their streams began. */
  dump(): AsyncIterable<StoreRow>
  /**
   * Puts rows into a store that has none, all of them or none.
   *
   * @returns how many there were
   * @throws {RollcallError} `STORE_NOT_EMPTY`.
   */
  load(rows: AsyncIterable<StoreRow>): Promise<number>
}
