import { mkdir } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import type { CommandContext } from '../command-context.ts'
import { readConfig, requireTrust } from '../read-config.ts'
import { bridge } from './bridge.ts'
import { findHost } from './find-host.ts'
import { hostDigest } from './hello.ts'
import { socketPathOf } from './socket-path.ts'
import { startHost } from './start-host.ts'

/**
 * Serves one client over standard input and output through the one host of this configuration, so that several clients
 * on this machine share its servers.
 *
 * @returns false where this system can hold no such host.
 * @throws {RollcallError} what keeps the client from being served.
 */
export async function serveBridge(
  context: CommandContext,
  options: {
    readonly profile: string
    readonly bare?: string
    readonly lingerMs: number
    readonly input: Readable
    readonly output: Writable
  },
): Promise<boolean> {
  const { profile, bare, lingerMs, input, output } = options
  const { env, signal } = context
  const loaded = await readConfig(context)
  requireTrust(loaded)
  const path = socketPathOf(loaded)
  if (path === undefined) return false
  await mkdir(loaded.stateFolder, { recursive: true, mode: 0o700 })
  const find = async () => {
    // Read again each time: program and configuration may be others when the host has to be found anew.
    const now = await readConfig(context)
    requireTrust(now)
    const hello = { digest: hostDigest(now), profile, ...(bare !== undefined && { bare }) }
    return await findHost(hello, { path, signal, start: () => startHost(now, { lingerMs, env }) })
  }
  await bridge({ input, output, find, signal })
  return true
}
