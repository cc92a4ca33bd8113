import { isRollcallError, type Json, RollcallError } from '@rollcall/plugin'
import type { ResolvedHttp } from '../declaration/resolved-server.ts'
import { isJsonObject } from '../is-json-object.ts'
import { checkAddress } from './check-address.ts'

/** Errors of a connection that never came about: nothing was sent. */
const unreached = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** What happens to a message on its way to an HTTP server. */
export interface GuardedFetchOptions {
  readonly maxBytes: number
  /** An answer stream ended, or broke, before this request was answered in it. */
  onEnded(id: Json, reason: RollcallError): void
}

/**
 * A fetch for one server: checks the address, keeps credentials within the origin, and turns everything that is no
 * answer of the protocol into a coded error that repeats nothing of what the server said.
 */
export function createGuardedFetch(server: ResolvedHttp, options: GuardedFetchOptions) {
  return async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input)
    if (url.origin !== server.url.origin) throw elsewhere(server, url)
    await checkAddress(url, { name: server.name, allowPrivate: !server.announced })
    const headers = withHeaders(server, new Headers(init.headers))
    const response = await send(server, url, { ...init, headers, redirect: 'manual' })
    checkRedirect(server, url, response)
    if (init.method !== 'POST') return response
    const id = requestIdOf(init.body)
    await checkAnswer(server, response, id !== undefined)
    return bound(server, response, id, options)
  }
}

function withHeaders(server: ResolvedHttp, headers: Headers): Headers {
  for (const [key, value] of Object.entries(server.headers)) {
    try {
      headers.set(key, value)
    } catch {
      // The error is not kept: it repeats the value.
      throw new RollcallError('PROVIDER_INVALID', `The header ${key} of ${server.name} can not be sent as it is.`, {
        hint: `Correct what "providers.${server.name}" gives for it: no line ends, Latin letters only.`,
      })
    }
  }
  return headers
}

async function send(server: ResolvedHttp, url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (cause) {
    const code = codeOf(cause)
    const sent = code === undefined || !unreached.has(code)
    const what = sent ? 'The connection to' : 'No connection to'
    throw new RollcallError('SERVER_UNAVAILABLE', `${what} ${server.name} at ${url.host} failed: ${code ?? 'lost'}.`, {
      hint: 'Check that the server runs and that its address is right.',
      data: { sent },
      cause,
    })
  }
}

function checkRedirect(server: ResolvedHttp, from: URL, response: Response): void {
  const location = response.headers.get('location')
  if (response.status < 300 || response.status > 399 || location === null) return
  const to = URL.parse(location, from.href)
  if (to?.origin !== from.origin) throw elsewhere(server, to ?? undefined)
}

async function checkAnswer(server: ResolvedHttp, response: Response, expectsMessage: boolean): Promise<void> {
  const { status } = response
  if (status >= 300 && status < 400) return
  if (!response.ok) {
    await response.body?.cancel()
    throw status === 401 || status === 403 ? notLetIn(server, status) : notOk(server, status)
  }
  if (!expectsMessage) return
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'no content type'
  if (type === 'application/json' || type === 'text/event-stream') return
  await response.body?.cancel()
  throw new RollcallError('SERVER_PROTOCOL', `${server.name} answered with ${type.slice(0, 80)} instead of JSON.`, {
    hint: `Check that "providers.${server.name}.url" is the address of an MCP endpoint.`,
    data: { sent: true },
  })
}

/** Counts the bytes of an answer, and notices when a stream of events ends before its answer. */
function bound(server: ResolvedHttp, response: Response, id: Json | undefined, options: GuardedFetchOptions): Response {
  if (response.body === null || id === undefined) return response
  const isStream = response.headers.get('content-type')?.includes('event-stream') === true
  const reader = response.body.getReader()
  let bytes = 0
  const fail = (reason: RollcallError) => {
    if (isStream) options.onEnded(id, reason)
    return reason
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) {
          controller.close()
          if (isStream) options.onEnded(id, cutOff(server))
          return
        }
        bytes += value.byteLength
        if (bytes > options.maxBytes) throw tooMuch(server, options.maxBytes)
        controller.enqueue(value)
      } catch (cause) {
        await reader.cancel().catch(() => {})
        controller.error(fail(isRollcallError(cause) ? cause : cutOff(server, cause)))
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}

function requestIdOf(body: RequestInit['body']): Json | undefined {
  if (typeof body !== 'string') return undefined
  const message: Json = JSON.parse(body)
  return isJsonObject(message) && message.method !== undefined ? message.id : undefined
}

function codeOf(error: unknown): string | undefined {
  const inner = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = (inner as { code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

function elsewhere(server: ResolvedHttp, to: URL | undefined): RollcallError {
  const target = to === undefined ? 'an unreadable address' : to.origin
  return new RollcallError('SERVER_UNAVAILABLE', `${server.name} redirects to ${target}; that is not followed.`, {
    hint: `If that is right, write the new address into "providers.${server.name}.url".`,
  })
}

function notLetIn(server: ResolvedHttp, status: number): RollcallError {
  return new RollcallError('SERVER_UNAVAILABLE', `${server.name} refused the credentials (HTTP ${status}).`, {
    hint: `Renew the secret that "providers.${server.name}.auth" or "headers" names.`,
  })
}

function notOk(server: ResolvedHttp, status: number): RollcallError {
  // A refusal means that nothing was done; after a fault of the server nobody knows.
  return new RollcallError('SERVER_UNAVAILABLE', `${server.name} answered with HTTP ${status}.`, {
    hint: `Check "providers.${server.name}.url" and the server's own log.`,
    data: { sent: status >= 500 },
  })
}

function cutOff(server: ResolvedHttp, cause?: unknown): RollcallError {
  return new RollcallError('SERVER_UNAVAILABLE', `${server.name} ended its answer before it was whole.`, {
    hint: 'Look whether it did what was asked.',
    data: { sent: true },
    cause,
  })
}

function tooMuch(server: ResolvedHttp, maxBytes: number): RollcallError {
  return new RollcallError('SERVER_PROTOCOL', `${server.name} answered with more than ${maxBytes} bytes.`, {
    hint: 'Ask it for less, or raise "mcp.limits.resultBytes".',
    data: { sent: true },
  })
}
