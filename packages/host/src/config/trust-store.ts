import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Digest, Type } from '@rollcall/plugin'
import type { Static } from 'typebox'
import { schemaFaults } from './schema-faults.ts'

/** A configuration that its user has looked at and trusts, as it was then. */
export interface TrustRow {
  /** Real path of the file. */
  readonly path: string
  /** SHA-256 of its bytes. */
  readonly digest: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** What a user trusts on this machine: a file `trust.json` that only this user may read. */
export interface TrustStore {
  /** Tells whether exactly these bytes are trusted at this place. A file that can't be read trusts nothing. */
  isTrusted(path: string, digest: Digest): Promise<boolean>
  /** Trusts a file as it is now; replaces what was trusted at this path before. */
  trust(path: string, digest: Digest): Promise<void>
  list(): Promise<readonly TrustRow[]>
}

const fileSchema = Type.Object({
  version: Type.Integer({ minimum: 1, maximum: 1 }),
  rows: Type.Array(Type.Object({ path: Type.String(), digest: Type.String(), at: Type.Number() })),
})

/** Keeps trust in a folder of the user's, never in the project that wants to be trusted. */
export function createTrustStore({ folder }: { readonly folder: string }): TrustStore {
  const file = join(folder, 'trust.json')
  return {
    async isTrusted(path, digest) {
      return (await readRows(file)).some((row) => row.path === path && row.digest === digest)
    },
    async trust(path, digest) {
      const others = (await readRows(file)).filter((row) => row.path !== path)
      await writeRows({ folder, file, rows: [...others, { path, digest, at: Date.now() }] })
    },
    list: () => readRows(file),
  }
}

async function readRows(file: string): Promise<readonly TrustRow[]> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    // Checked by the schema that the type is made from.
    return schemaFaults(fileSchema, value).length === 0 ? (value as Static<typeof fileSchema>).rows : []
  } catch {
    return []
  }
}

// Written beside and renamed, so that a reader never sees half of it.
async function writeRows({ folder, file, rows }: { folder: string; file: string; rows: readonly TrustRow[] }) {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, `${JSON.stringify({ version: 1, rows }, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}
