import type { OutboundFetch } from '@rollcall/host'
import type { Json, JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'

/** A refusal is a sentence or two. */
const mostBytes = 65_536

/** These are about who may come in at all, and are answered by nobody who speaks the protocol. */
const notLetIn: ReadonlySet<number> = new Set([401, 403, 407])

/**
 * In this revision a server may refuse a request by an HTTP status and say why in a JSON-RPC error. Such an answer is
 * handed on as the answer to the request; every other one as it is.
 */
export function readRefusals(fetch: OutboundFetch): OutboundFetch {
  return async (input, init, options) => {
    const response = await fetch(input, init, options)
    const { status } = response
    if (status < 400 || status > 499 || init.method !== 'POST') return response
    const type = response.headers.get('content-type') ?? ''
    const id = requestIdOf(init.body)
    if (notLetIn.has(status) || id === undefined || !type.toLowerCase().startsWith('application/json')) return response
    const text = await readSome(response)
    const error = errorIn(text)
    const { statusText, headers } = response
    if (error === undefined) return new Response(text, { status, statusText, headers: plain(headers) })
    return Response.json({ jsonrpc: '2.0', id, error }, { headers: plain(headers) })
  }
}

function requestIdOf(body: RequestInit['body']): Json | undefined {
  if (typeof body !== 'string') return undefined
  const message: Json = JSON.parse(body)
  return isJsonObject(message) && message.method !== undefined ? message.id : undefined
}

/** A server that refused before it read the request does not know its id, so the id is not asked for. */
function errorIn(text: string): JsonObject | undefined {
  let said: Json
  try {
    said = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isJsonObject(said) || said.jsonrpc !== '2.0' || !isJsonObject(said.error)) return undefined
  const { code, message, data } = said.error
  if (typeof code !== 'number' || typeof message !== 'string') return undefined
  return { code, message, ...(data !== undefined && { data }) }
}

async function readSome(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = 0; bytes <= mostBytes; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    text += decoder.decode(value, { stream: true })
  }
  await reader.cancel().catch(() => {})
  return ''
}

/** The body is another one now, so what describes it goes. */
function plain(headers: Headers): Headers {
  const kept = new Headers(headers)
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) kept.delete(name)
  return kept
}
