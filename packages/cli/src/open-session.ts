import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createHost, type Host, type Store } from '@rollcall/host'
import { type LoadedConfig, resolveSecret, toHostOptions } from '@rollcall/host/config'
import { createMcp, type Mcp } from '@rollcall/mcp'
import { RollcallError } from '@rollcall/plugin'
import { readAuditKey } from './audit-key.ts'
import { createCleanupStack } from './cleanup-stack.ts'
import type { CommandContext } from './command-context.ts'
import { openStore } from './open-store.ts'
import { lockFileOf, readConfig, requireTrust } from './read-config.ts'

/** Everything that a command works with, from the configuration up to the running host. */
export interface Session extends AsyncDisposable {
  readonly loaded: LoadedConfig
  readonly store: Store
  readonly mcp: Mcp
  readonly host: Host
}

/** Milliseconds a server may take where a first download is likely. */
const downloadTimeoutMs = 180_000

/**
 * Configuration → store → MCP → host. Disposing ends them in reverse, servers and their children included.
 *
 * @throws {RollcallError} `CONFIG_INVALID`, `CONFIG_UNTRUSTED`, `STORE_UNAVAILABLE`, `LOCK_INVALID` before anything starts.
 */
export async function openSession(
  context: CommandContext,
  options: {
    /** `background` pins servers that were never listed; only where the process stays up. */
    readonly pinning: 'background' | 'off'
    readonly mayDownload?: boolean
    /** Pins and remembers nothing about servers. */
    readonly readOnly?: boolean
  },
): Promise<Session> {
  const loaded = await readConfig(context)
  requireTrust(loaded)
  const { config, folder, stateFolder } = loaded
  await makeStateFolder(loaded)
  await using stack = createCleanupStack()
  const store = stack.use(await openStore(loaded, context.env))
  const mcp = stack.use(
    createMcp({
      lockFile: lockFileOf(loaded),
      folder,
      logger: context.logger,
      limits: { ...config.mcp?.limits, ...(options.mayDownload && { connectTimeoutMs: downloadTimeoutMs }) },
      ...(config.mcp?.onDrift && { onDrift: config.mcp.onDrift }),
      ...(config.mcp?.allowedCommands && { allowedCommands: config.mcp.allowedCommands }),
      ...(config.secrets?.allow && { secretsAllow: config.secrets.allow }),
      resolveSecret: (ref, { announced }) =>
        resolveSecret(ref, { env: context.env, folder, allow: announced ? new Set(config.secrets?.allow) : 'all' }),
      pinning: options.pinning,
      readOnly: options.readOnly ?? false,
      variables: { ROLLCALL_CONFIG_DIR: folder, ROLLCALL_STATE_DIR: stateFolder },
      env: context.env,
    }),
  )
  const auditKey = await readAuditKey(stateFolder)
  const extra = { connectMcp: mcp.connect, store, auditKey, logger: context.logger, env: context.env }
  // An unmigrated plugin gets no options: the environment tells it where its state lies.
  process.env.ROLLCALL_STATE_DIR = stateFolder
  const host = stack.use(await createHost(toHostOptions(loaded, extra)))
  const owned = stack.move()
  return { loaded, store, mcp, host, [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose]() }
}

/** Only the owner may read it; a folder that the user named and that is there already keeps its permissions. */
async function makeStateFolder({ folder, stateFolder }: LoadedConfig): Promise<void> {
  try {
    await mkdir(stateFolder, { recursive: true, mode: 0o700 })
    if (stateFolder === join(folder, '.rollcall')) await chmod(stateFolder, 0o700)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new RollcallError('STORE_UNAVAILABLE', `The state folder ${stateFolder} can't be made (${code}).`, {
      hint: 'Check the permissions of the folder around it.',
      cause,
    })
  }
}
