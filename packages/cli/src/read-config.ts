import { createHash } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createTrustStore, type LoadedConfig, loadConfig, userFolders } from '@rollcall/host/config'
import { type Digest, RollcallError } from '@rollcall/plugin'
import type { CommandContext } from './command-context.ts'

type Place = Pick<CommandContext, 'cwd' | 'env' | 'configFile'>

/**
 * Finds and checks the configuration; nothing of it runs.
 *
 * @throws {RollcallError} `CONFIG_INVALID` with all faults.
 */
export function readConfig({ cwd, env, configFile }: Place): Promise<LoadedConfig> {
  const installedAt = dirname(import.meta.dirname)
  return loadConfig({ file: configFile, cwd, env, installedAt, isTrusted: trustStore(env).isTrusted })
}

/**
 * Stops before anything of a configuration runs that nobody has trusted.
 *
 * @throws {RollcallError} `CONFIG_UNTRUSTED`.
 */
export function requireTrust({ trusted, file, folder }: LoadedConfig): void {
  if (trusted) return
  throw new RollcallError('CONFIG_UNTRUSTED', `${file ?? folder} is not trusted, so nothing of it is run.`, {
    hint: `Look at it: rollcall config. Then: rollcall trust ${folder}, or name it with --config.`,
    data: { file: file ?? null, folder },
  })
}

/** Trusts a configuration as it is now. */
export async function trustFile(
  { env }: Pick<Place, 'env'>,
  file: string,
): Promise<{ readonly file: string; readonly digest: Digest }> {
  const real = await realpath(file)
  const digest: Digest = `sha256:${createHash('sha256')
    .update(await readFile(real))
    .digest('hex')}`
  await trustStore(env).trust(real, digest)
  return { file: real, digest }
}

/** Where the definitions of external tools are pinned. */
export function lockFileOf({ folder, config }: Pick<LoadedConfig, 'folder' | 'config'>): string {
  return config.mcp?.lockFile === undefined ? join(folder, 'rollcall.lock.json') : resolve(folder, config.mcp.lockFile)
}

function trustStore(env: Place['env']) {
  return createTrustStore({ folder: userFolders({ env, home: homedir() }).state })
}
