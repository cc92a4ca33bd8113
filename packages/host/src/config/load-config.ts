import { createHash } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import type { Digest, Maybe } from '@rollcall/plugin'
import { checkConfig } from './check-config.ts'
import { configInvalid } from './config-invalid.ts'
import type { Config } from './config-schema.ts'
import { type FoundConfig, findConfig } from './find-config.ts'
import { importConfig, isCodeConfig, parseConfig } from './parse-config.ts'
import { hasInstalled } from './search-folders.ts'
import { userFolders } from './user-folders.ts'

/** Where to look, and whom to trust. */
export interface LoadConfigOptions {
  /** A configuration that the person named; relative to `cwd`. */
  readonly file?: string | undefined
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Default: the home folder of the process owner. */
  readonly home?: string
  /** Whether the user trusts exactly these bytes at this real path. Default: nothing is trusted. */
  readonly isTrusted?: (realPath: string, digest: Digest) => Maybe<boolean>
  /** Path of the package that runs; a project that has it installed is trusted. */
  readonly installedAt?: string
}

/** A checked configuration and where it lies. */
export interface LoadedConfig {
  /** Real path of the configuration, or of the plugin's `package.json`; absent: there is none. */
  readonly file?: string
  /** SHA-256 of the bytes of `file`. */
  readonly digest?: Digest
  /** All relative paths of the configuration start here. */
  readonly folder: string
  /** Not created. */
  readonly stateFolder: string
  /** False: show it, but load no code and start nothing of it. */
  readonly trusted: boolean
  /** Empty for code that is not trusted: it was not executed. */
  readonly config: Config
  /** The plugin in whose folder we are is all there is. */
  readonly manifestOnly: boolean
}

/**
 * Finds, reads and checks the configuration. Code is executed only when it is named, the user's own, in a project that
 * has this program installed, or trusted as it is.
 *
 * @throws {RollcallError} `CONFIG_INVALID` with all faults, before anything was started.
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  const { env } = options
  const cwd = await realFolder(options.cwd)
  const home = await realFolder(options.home ?? homedir())
  const user = userFolders({ env, home })
  const found = await findConfig({ named: options.file, cwd, home, userFolder: await realFolder(user.config) })
  const stateFrom = (folder: string) => (env.ROLLCALL_STATE_DIR ? resolve(cwd, env.ROLLCALL_STATE_DIR) : folder)
  if (found === undefined) {
    // Nothing of a project is here to lay state beside; the working folder may be the root of the disk.
    return { folder: cwd, stateFolder: stateFrom(user.state), trusted: true, config: {}, manifestOnly: false }
  }
  const folder = dirname(found.file)
  const bytes = await readBytes(found.file)
  const digest: Digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const trusted = await isTrusted(found, digest, { ...options, home })
  return {
    file: found.file,
    digest,
    folder,
    stateFolder: stateFrom(join(folder, '.rollcall')),
    trusted,
    config: found.by === 'manifest' ? { plugins: ['.'] } : await readConfig(found.file, bytes, trusted),
    manifestOnly: found.by === 'manifest',
  }
}

async function isTrusted(
  { file, by }: FoundConfig,
  digest: Digest,
  { home, installedAt, isTrusted: isKnown }: LoadConfigOptions & { readonly home: string },
): Promise<boolean> {
  if (by === 'named' || by === 'user') return true
  if (installedAt !== undefined && (await hasInstalled(dirname(file), await realFolder(installedAt), home))) return true
  return (await isKnown?.(file, digest)) === true
}

async function readConfig(file: string, bytes: Uint8Array, trusted: boolean): Promise<Config> {
  const about = { file: basename(file) }
  if (!isCodeConfig(file)) return checkConfig(await parseConfig(bytes, about), about)
  return trusted ? checkConfig(await importConfig(file, about), about) : {}
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file)
  } catch (cause) {
    throw configInvalid([{ path: '', message: 'can not be read' }], file, { cause })
  }
}

// One that does not exist is only compared, never opened.
async function realFolder(folder: string): Promise<string> {
  return realpath(folder).catch(() => resolve(folder))
}
