import { execFile } from 'node:child_process'
import { readFile, realpath } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { RollcallError, type ServerDeclaration } from '@rollcall/plugin'

/** How a server named on the command line is started, and what is worth a word about it. */
export interface ServerSource {
  readonly server: ServerDeclaration
  /** For a person: package and version, address, or command line. */
  readonly label: string
  /** The version could not be found, so other code may run tomorrow. */
  readonly isUnpinned: boolean
}

/**
 * Finds out how a server is started: an address, a command line after `--`, or an npm package, installed in the
 * project or run by npx at an exact version.
 *
 * @throws {RollcallError} `USAGE` for anything else.
 */
export async function serverSource(
  words: readonly string[],
  from: {
    readonly folder: string
    readonly isCommandLine: boolean
    readonly signal: AbortSignal
    /** Asks the registry for the newest version; rejects or gives nothing when it can't be found. */
    readonly newestVersion?: (name: string, signal: AbortSignal) => Promise<string | undefined>
  },
): Promise<ServerSource> {
  const [first, ...rest] = words
  if (first === undefined) throw usage('It is missing how the server is reached.')
  if (from.isCommandLine) {
    return { server: { command: first, args: rest }, label: words.join(' '), isUnpinned: false }
  }
  if (rest.length > 0) throw usage(`"${rest.join(' ')}" is one word too many.`)
  if (/^https?:\/\//i.test(first)) return { server: { url: first }, label: first, isUnpinned: false }
  const wanted = /^(@[a-z0-9][\w.-]*\/[a-z0-9][\w.-]*|[a-z0-9][\w.-]*)(?:@(.+))?$/i.exec(first)
  const name = wanted?.[1]
  if (name === undefined) throw usage(`"${first}" is no npm package, address or command line.`)
  const installed = await findInstalled(name, from.folder)
  if (installed !== undefined && (wanted?.[2] === undefined || wanted[2] === installed.version)) {
    const server = { command: 'node', args: [installed.entry] }
    return { server, label: `${name} ${installed.version} (installed)`, isUnpinned: false }
  }
  const exact = /^\d+\.\d+\.\d+[\w.+-]*$/.test(wanted?.[2] ?? '') ? wanted?.[2] : undefined
  const ask = from.newestVersion ?? newestVersion
  const version = exact ?? (await ask(first, from.signal).catch(() => undefined))
  const spec = version === undefined ? first : `${name}@${version}`
  const label = version === undefined ? `${first} (no version found)` : `${name} ${version} (pinned)`
  return { server: { command: 'npx', args: ['-y', spec] }, label, isUnpinned: version === undefined }
}

function usage(message: string): RollcallError {
  return new RollcallError('USAGE', message, {
    hint: 'rollcall add <id> <npm package> | <url> | -- <command> <argument>…',
  })
}

interface Installed {
  readonly version: string
  /** Relative to the configuration's folder where it lies inside. */
  readonly entry: string
}

/** The package in a node_modules of the configuration's folder or above, with the program that it offers. */
async function findInstalled(name: string, folder: string): Promise<Installed | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const root = join(at, 'node_modules', name)
    const manifest = await readFile(join(root, 'package.json'), 'utf8').then(
      (text) => JSON.parse(text) as { readonly version?: unknown; readonly bin?: unknown },
      () => undefined,
    )
    if (manifest !== undefined) {
      const program = programOf(manifest.bin, name)
      if (typeof manifest.version !== 'string' || program === undefined) return undefined
      const entry = join(root, program)
      const isInside = (await realpath(at)) === (await realpath(folder))
      return { version: manifest.version, entry: isInside ? relative(folder, entry).split(sep).join('/') : entry }
    }
    if (dirname(at) === at) return undefined
  }
}

function programOf(bin: unknown, name: string): string | undefined {
  if (typeof bin === 'string') return bin
  if (typeof bin !== 'object' || bin === null) return undefined
  const programs = Object.entries(bin).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const own = programs.find(([program]) => program === name.split('/').at(-1))
  return own?.[1] ?? (programs.length === 1 ? programs[0]?.[1] : undefined)
}

async function newestVersion(spec: string, signal: AbortSignal): Promise<string | undefined> {
  const run = promisify(execFile)
  const { stdout } = await run('npm', ['view', spec, 'version', '--json'], { timeout: 20_000, signal })
  const found: unknown = JSON.parse(stdout)
  const version = Array.isArray(found) ? found.at(-1) : found
  return typeof version === 'string' && /^\d+\.\d+\.\d+[\w.+-]*$/.test(version) ? version : undefined
}
