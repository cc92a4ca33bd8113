import { RollcallError, visibleText } from '@rollcall/plugin'
import type { ResolvedServer } from '../declaration/resolved-server.ts'
import { hideSecrets } from '../transports/output-tail.ts'
import { quoteTail } from '../transports/stdio-transport.ts'
import type { Wire } from '../transports/wire.ts'

/** What is said of a connection that did not come about. @param known why it was ended, where that was our doing. */
export function connectFailure(
  { name, secrets }: ResolvedServer,
  known: RollcallError | undefined,
  error: unknown,
  wire: Wire,
): RollcallError {
  const tail = quoteTail(wire.vitals().stderrTail)
  if (known?.code === 'SERVER_TIMEOUT') {
    return new RollcallError('SERVER_TIMEOUT', `${known.message}${tail}`, { hint: known.hint })
  }
  if (known !== undefined) return known
  if (error instanceof RollcallError) return error
  // Not kept as the cause: it repeats what the server said, and that may be what it was given.
  const said = error instanceof Error ? ` (${visibleText(hideSecrets(error.message, secrets)).slice(0, 500)})` : ''
  const message = `${name} did not finish the handshake as the protocol asks${said}.${tail}`
  return new RollcallError('SERVER_PROTOCOL', message, {
    hint: 'Update the server, or check that the command or address is an MCP server at all.',
  })
}

export function tooSlow(name: string, limitMs: number): RollcallError {
  return new RollcallError('SERVER_TIMEOUT', `${name} did not finish its handshake within ${limitMs} ms.`, {
    hint: 'Raise "mcp.limits.connectTimeoutMs", or look why it is silent.',
  })
}

/** Whoever wanted the connection gave up. */
export function givenUp(name: string, reason: unknown): RollcallError {
  if (reason instanceof RollcallError) return reason
  return new RollcallError('SERVER_UNAVAILABLE', `${name} was stopped before its handshake was over.`, {
    hint: 'Repeat the call: it starts again.',
  })
}
