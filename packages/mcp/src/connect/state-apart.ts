import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { McpClaim } from '@rollcall/host'
import type { McpSettings } from '../declaration/mcp-settings.ts'
import { commonKey, type PoolKey } from '../pool/pool-key.ts'

const stateDir = 'ROLLCALL_STATE_DIR'

/** Settings for one connection, and what has to happen on disk around its life. */
export interface StateApart {
  readonly settings: McpSettings
  /** Makes the folder, if the declaration has a use for it. */
  prepare(): Promise<void>
  /** Removes the folder with all that is in it. */
  remove(): Promise<void>
}

/**
 * A process of one's own keeps nothing apart that is written to a common file. So `${ROLLCALL_STATE_DIR}` in the
 * declaration of a server with an isolation means a folder of each principal or session, inside the state folder.
 */
export function stateApart(claim: McpClaim, settings: McpSettings, { isolation }: PoolKey): StateApart {
  const base = settings.variables[stateDir]
  if (isolation === commonKey.isolation || base === undefined || !isUsed(claim)) {
    return { settings, async prepare() {}, async remove() {} }
  }
  // The name of a principal is foreign text, and no business of whoever lists a folder.
  const own = createHash('sha256').update(isolation).digest('hex').slice(0, 32)
  const folder = join(base, 'apart', claim.appId, own)
  return {
    settings: { ...settings, variables: { ...settings.variables, [stateDir]: folder } },
    prepare: async () => void (await mkdir(folder, { recursive: true, mode: 0o700 })),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

function isUsed({ server }: McpClaim): boolean {
  return JSON.stringify(server).includes(stateDir)
}
