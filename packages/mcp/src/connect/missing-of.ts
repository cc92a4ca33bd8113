import type { McpClaim } from '@rollcall/host'
import { isRollcallError, type RollcallError } from '@rollcall/plugin'
import type { McpSettings } from '../declaration/mcp-settings.ts'
import { checkDeclaration } from '../declaration/resolve-server.ts'

/**
 * The secret or variable that a server lacks, which holds its tools.
 *
 * @throws {RollcallError} `LAUNCH_REFUSED`, which costs them.
 */
export async function missingOf(claim: McpClaim, mcp: McpSettings): Promise<RollcallError | undefined> {
  try {
    await checkDeclaration(claim, mcp)
    return undefined
  } catch (error) {
    if (isRollcallError(error, 'SECRET_MISSING') || isRollcallError(error, 'VARIABLE_MISSING')) return error
    throw error
  }
}
