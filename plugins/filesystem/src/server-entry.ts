import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RollcallError } from '@rollcall/plugin'

const server = join('node_modules', '@modelcontextprotocol', 'server-filesystem', 'dist', 'index.js')

/**
 * The path of the filesystem server that is installed for this plugin.
 *
 * Links are not followed: the path stands in the lock file, and where a link leads differs from one machine to another.
 *
 * @throws {RollcallError} `PLUGIN_SETUP_FAILED` when it is not installed.
 */
export function serverEntry(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  for (;;) {
    const entry = join(folder, server)
    if (existsSync(entry)) return entry
    const parent = dirname(folder)
    if (parent === folder) throw notInstalled()
    folder = parent
  }
}

function notInstalled(): RollcallError {
  return new RollcallError('PLUGIN_SETUP_FAILED', '@modelcontextprotocol/server-filesystem is not installed.', {
    hint: 'Install the dependencies of @rollcall/plugin-filesystem.',
  })
}
