import { createHash } from 'node:crypto'
import { RollcallError } from '@rollcall/plugin'
import { Type } from 'typebox'
import { Compile } from 'typebox/schema'
import type { Store } from './store.ts'
import type { StoreRow } from './store-row.ts'
import { backupFormat } from './write-backup.ts'

const text = Type.String()
const number = Type.Integer()
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const closed = { additionalProperties: false } as const
const rowSchema = Type.Union([
  Type.Object(
    {
      table: Type.Literal('events'),
      stream: text,
      sequence: number,
      at: number,
      event: text,
      chain: orNull(text),
      link: orNull(number),
      digest: orNull(text),
    },
    closed,
  ),
  Type.Object(
    {
      table: Type.Literal('heads'),
      stream: text,
      length: number,
      status: text,
      principal: text,
      dueAt: orNull(number),
      parent: orNull(text),
      key: orNull(text),
      working: orNull(text),
    },
    closed,
  ),
  Type.Object({ table: Type.Literal('settings'), key: text, value: orNull(text), version: number }, closed),
  Type.Object(
    { table: Type.Literal('blobs'), digest: text, stream: text, principal: text, type: text, bytes: text },
    closed,
  ),
])

/**
 * Restores a backup into an empty store: all of it, or nothing.
 *
 * @param lines of the backup, without their line ends
 * @returns how many rows there were
 * @throws {RollcallError} `BACKUP_INVALID` for what is no whole backup, `STORE_NOT_EMPTY`, `STORE_UNAVAILABLE`.
 */
export async function restoreBackup(store: Store, lines: AsyncIterable<string>): Promise<number> {
  const isRow = Compile(rowSchema)
  return await store.rows.load(rowsOf(lines, (value): value is StoreRow => isRow.Check(value)))
}

async function* rowsOf(
  lines: AsyncIterable<string>,
  isRow: (value: unknown) => value is StoreRow,
): AsyncIterable<StoreRow> {
  const hash = createHash('sha256')
  let number = 0
  let isWhole = false
  for await (const line of lines) {
    number += 1
    if (isWhole) throw invalid(`goes on behind its last line, in line ${number}`)
    const value = parsed(line)
    if (number === 1) checkHeading(value)
    else if (isRow(value)) yield value
    else if (has(value, 'digest')) isWhole = checkEnd(value, number - 2, `sha256:${hash.digest('hex')}`)
    else throw invalid(`holds no row of a store in line ${number}`)
    if (!isWhole) hash.update(`${line}\n`)
  }
  if (!isWhole) throw invalid(number === 0 ? 'is empty' : `ends behind line ${number}, before its last line`)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function has<Name extends string>(value: unknown, name: Name): value is { readonly [name in Name]: unknown } {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
}

function checkHeading(value: unknown): void {
  if (!has(value, 'rollcall') || value.rollcall !== 'backup' || !has(value, 'format')) {
    throw invalid('does not begin as one')
  }
  if (value.format !== backupFormat) throw invalid(`has the form ${JSON.stringify(value.format)}, not ${backupFormat}`)
}

function checkEnd(value: { readonly digest: unknown }, rows: number, digest: string): true {
  if (!has(value, 'rows') || value.rows !== rows) throw invalid(`has ${rows} rows, and should have others`)
  if (value.digest !== digest) throw invalid('was changed since it was written: its digest is another one')
  return true
}

function invalid(what: string): RollcallError {
  return new RollcallError('BACKUP_INVALID', `The backup ${what}. Nothing of it was restored.`, {
    hint: 'Name a whole file that `rollcall db backup` wrote, with a Rollcall that is not older than the one that wrote it.',
  })
}
