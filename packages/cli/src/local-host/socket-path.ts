import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { LoadedConfig } from '@rollcall/host/config'

/** What the address of a socket may take in bytes, on the narrowest system. */
const maxPathBytes = 103

/**
 * Where the one host of a configuration listens for clients of this machine. `undefined` where it can't: the path would
 * be too long for a socket, or the system has none.
 */
export function socketPathOf({ file, folder, stateFolder }: LoadedConfig): string | undefined {
  const which = createHash('sha256')
    .update(file ?? folder)
    .digest('hex')
    .slice(0, 8)
  const path = join(stateFolder, `host-${which}.sock`)
  return process.platform === 'win32' || Buffer.byteLength(path) > maxPathBytes ? undefined : path
}
