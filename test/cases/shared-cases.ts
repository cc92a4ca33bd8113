import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../list-files.ts'

const shared = join(root, '../shared/cases')

/** The folder of a case of the collection that may lie beside the checkout; undefined where it doesn't. */
export function sharedCase(number: string): string | undefined {
  const name = foldersIn(shared).find((folder) => folder.startsWith(`${number}-`))
  return name === undefined ? undefined : join(shared, name)
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
