import { join, resolve, sep } from 'node:path'

/** Whether this command runs from source, and so belongs to the repository it lies in. */
const isSource = import.meta.url.endsWith('.ts')

/** The repository in which this command runs from source; `undefined` when it is installed. */
export const repository = isSource ? resolve(import.meta.dirname, '../../..') : undefined

/** How a person starts this command in a folder: from source its own name is nowhere on the PATH. */
export function commandNameIn(folder: string): string {
  if (repository === undefined) return 'rollcall'
  if (folder === repository || folder.startsWith(repository + sep)) return 'npx rollcall'
  return quoted(join(repository, 'node_modules/.bin/rollcall'))
}

function quoted(path: string): string {
  return path.includes(' ') ? `"${path}"` : path
}
