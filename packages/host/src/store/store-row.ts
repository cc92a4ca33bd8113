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
  /** One row of `settings`, a removed one too: its value as it is stored. */
  setting(key: string): Promise<{ readonly value: string | null; readonly version: number } | undefined>
  /** The rows of `settings` whose key begins with the prefix, in key order, as they are stored. */
  settings(
    prefix: string,
  ): Promise<readonly { readonly key: string; readonly value: string; readonly version: number }[]>
  /**
   * Writes a row of `settings` if it has that very version, a removed row being one too; 0: there never was one.
   *
   * @param value as it is to be stored
   */
  swapSetting(key: string, value: string, version: number): Promise<boolean>
  /**
   * Changes how the value of a row is stored, if it is still that of the row: working copy, setting or bytes. Its version
   * stays, since it is the same value.
   *
   * @returns false when the row went on, or is gone
   */
  replace(row: StoreRow, value: string): Promise<boolean>
  /**
   * Puts rows into a store that has none, all of them or none.
   *
   * @returns how many there were
   * @throws {RollcallError} `STORE_NOT_EMPTY`.
   */
  load(rows: AsyncIterable<StoreRow>): Promise<number>
}
