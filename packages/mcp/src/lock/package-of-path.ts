import { readFileSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'

/** Name and version of the installed package that a file belongs to; undefined outside of `node_modules`. */
export function packageOfPath(file: string): string | undefined {
  const marker = `${sep}node_modules${sep}`
  if (!file.includes(marker)) return undefined
  // A link in `.bin` leads to the package that really runs.
  const real = realOf(file)
  const at = real.lastIndexOf(marker)
  if (at === -1) return undefined
  const parts = real.slice(at + marker.length).split(sep)
  const name = parts.slice(0, parts[0]?.startsWith('@') ? 2 : 1)
  const folder = join(real.slice(0, at + marker.length), ...name)
  return `${name.join('/')}@${versionIn(folder)}`
}

function realOf(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

function versionIn(folder: string): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const version = (manifest as { version?: unknown } | null)?.version
    return typeof version === 'string' ? version : 'unknown'
  } catch {
    return 'unknown'
  }
}
