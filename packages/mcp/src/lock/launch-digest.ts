import { realpathSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { McpClaim } from '@rollcall/host'
import { type Digest, digestOf, expandVariables, type JsonObject } from '@rollcall/plugin'
import type { McpSettings } from '../declaration/mcp-settings.ts'
import { lookupFor } from '../declaration/resolve-server.ts'
import { packageOfPath } from './package-of-path.ts'

/**
 * The digest of how a server is launched and whose it is: the same for the same project on another machine, another
 * as soon as other code could run under the same name. Values of variables and secrets are no part of it.
 */
export function launchDigest(claim: McpClaim, settings: McpSettings): Digest {
  return digestOf(describeLaunch(claim, settings))
}

function describeLaunch(claim: McpClaim, settings: McpSettings): JsonObject {
  const { server } = claim
  const owner = claim.source === 'configured' ? 'configuration' : claim.plugin
  if ('url' in server) {
    const auth = server.auth === undefined ? (server.headers === undefined ? 'none' : 'headers') : 'bearer'
    return { transport: server.transport === 'sse' ? 'sse' : 'http', url: withoutQuery(server.url), auth, owner }
  }
  const args = server.args ?? []
  const isNode = isRunningNode(server.command)
  return {
    transport: 'stdio',
    command: isNode ? 'node' : portable(server.command, settings),
    args: args.map((arg) => portable(arg, settings)),
    cwd: server.cwd === undefined ? '.' : portable(server.cwd, settings),
    env: Object.keys(server.env ?? {}).sort(),
    owner,
    packages: packagesOf(isNode ? args : [server.command, ...args], server.cwd, claim, settings),
  }
}

/**
 * Path parts that lie inside the state folder or the configuration's folder are told from there, whole or after an
 * equals sign: a plugin that was given `${ROLLCALL_STATE_DIR}/x` announces what that means on this machine.
 */
function portable(text: string, { folder, variables }: McpSettings): string {
  const start = text.startsWith('-') ? text.indexOf('=') + 1 : 0
  const path = text.slice(start)
  if (!isAbsolute(path)) return text
  const inState = variables.ROLLCALL_STATE_DIR && pathInside(variables.ROLLCALL_STATE_DIR, path)
  const told = inState ? `\${ROLLCALL_STATE_DIR}/${inState}` : pathInside(folder, path)
  return told === undefined ? text : text.slice(0, start) + told
}

/** The way from a folder to a path inside it, with slashes; `.` for the folder itself. */
function pathInside(folder: string, path: string): string | undefined {
  const way = relative(folder, path)
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return undefined
  return way === '' ? '.' : way.split(sep).join('/')
}

function isRunningNode(command: string): boolean {
  if (command === 'node' || command === process.execPath) return true
  if (!isAbsolute(command)) return false
  try {
    return realpathSync(command) === realpathSync(process.execPath)
  } catch {
    return false
  }
}

/** Versions of the installed packages that the command line names by path. */
function packagesOf(
  argv: readonly string[],
  cwd: string | undefined,
  claim: McpClaim,
  settings: McpSettings,
): readonly string[] {
  const base = resolve(settings.folder, expanded(cwd ?? '.', claim, settings))
  const found = argv.map((part) => packageOfPath(resolve(base, expanded(part, claim, settings))))
  return [...new Set(found.filter((each) => each !== undefined))]
}

function expanded(text: string, claim: McpClaim, settings: McpSettings): string {
  try {
    return expandVariables(text, lookupFor(claim, settings))
  } catch {
    // A launch with a missing variable is refused elsewhere.
    return text
  }
}

function withoutQuery(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? (url.split(/[?#]/)[0] ?? url) : `${parsed.origin}${parsed.pathname}`
}
