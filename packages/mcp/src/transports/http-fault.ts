import { RollcallError, visibleText } from '@rollcall/plugin'
import type { ResolvedHttp } from '../declaration/resolved-server.ts'

/**
 * An error for an answer that is none because of its status. `data.status` tells it; `data.sessionLost` that the server
 * does not know our session any more, so that nothing was done and a new session is what is needed; `data.retryAfterMs`
 * for how long it wants to be left alone.
 */
export function refusedBy(
  { name }: ResolvedHttp,
  response: Response,
  { inSession }: { readonly inSession: boolean },
): RollcallError {
  const { status } = response
  if (status === 401 || status === 403) {
    return new RollcallError('SERVER_UNAVAILABLE', `${name} refused the credentials (HTTP ${status}).`, {
      hint: `Renew the secret that "providers.${name}.auth" or "headers" names.`,
      data: { sent: false, status },
    })
  }
  if (status === 404 && inSession) {
    return new RollcallError('SERVER_UNAVAILABLE', `${name} does not know this session any more (HTTP 404).`, {
      hint: 'Repeat the call: a new session is begun.',
      data: { sent: false, status, sessionLost: true },
    })
  }
  const retryAfterMs = status === 429 || status >= 500 ? retryAfterOf(response) : undefined
  const later = retryAfterMs === undefined ? '' : ` and asks to come again in ${Math.ceil(retryAfterMs / 1_000)} s`
  return new RollcallError('SERVER_UNAVAILABLE', `${name} answered with HTTP ${status}${later}.`, {
    hint: later === '' ? `Check "providers.${name}.url" and the server's own log.` : 'Repeat the call then.',
    // A refusal means that nothing was done; after a fault of the server nobody knows.
    data: { sent: status >= 500, status, ...(retryAfterMs !== undefined && { retryAfterMs }) },
  })
}

export function elsewhere({ name }: ResolvedHttp, to: URL): RollcallError {
  return new RollcallError('SERVER_UNAVAILABLE', `${name} leads to ${to.origin}; that is not followed.`, {
    hint: `If that is right, write the new address into "providers.${name}.url".`,
    data: { sent: false },
  })
}

export function badHeader({ name }: ResolvedHttp, header: string): RollcallError {
  return new RollcallError('PROVIDER_INVALID', `The header ${header} of ${name} can not be sent as it is.`, {
    hint: `Correct what "providers.${name}" gives for it: no line ends, Latin letters only.`,
  })
}

export function notTheProtocol({ name }: ResolvedHttp, type: string): RollcallError {
  const what = type === '' ? 'nothing that says what it is' : visibleText(type.slice(0, 80))
  return new RollcallError('SERVER_PROTOCOL', `${name} answered with ${what} instead of a message.`, {
    hint: `Check that "providers.${name}.url" is the address of an MCP endpoint.`,
    data: { sent: true },
  })
}

export function noAnswer({ name }: ResolvedHttp): RollcallError {
  return new RollcallError('SERVER_PROTOCOL', `${name} answered, but not to what it was asked.`, {
    hint: 'Update the server, or report it to its author.',
    data: { sent: true },
  })
}

export function cutOff({ name }: ResolvedHttp): RollcallError {
  return new RollcallError('SERVER_UNAVAILABLE', `The stream of ${name} closed before an answer came.`, {
    hint: 'Look whether it did what was asked.',
    data: { sent: true },
  })
}

export function tooMuch({ name }: ResolvedHttp, maxBytes: number): RollcallError {
  return new RollcallError('SERVER_PROTOCOL', `${name} answered with more than ${maxBytes} bytes.`, {
    hint: 'Ask it for less, or raise "mcp.limits.resultBytes".',
    data: { sent: true },
  })
}

/** @see https://www.rfc-editor.org/rfc/rfc9110#name-retry-after */
function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
