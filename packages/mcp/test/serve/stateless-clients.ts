import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { JsonObject } from '@rollcall/plugin'
import { eventsOf } from './face-clients.ts'
import type { Listening } from './listen.ts'

export const revision = '2026-07-28'

/** A client of the SDK that speaks the revision without sessions, and no other. */
export async function connectStateless(
  { origin }: Listening,
  capabilities: ClientOptions['capabilities'] = {},
  prepare: (client: Client) => void = () => {},
  options: ClientOptions = {},
): Promise<Client & AsyncDisposable> {
  const client = new Client(
    { name: 'tester', version: '1' },
    { ...options, capabilities, versionNegotiation: { mode: { pin: revision } } },
  )
  prepare(client)
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`)))
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

/** What the raw requests of one test have in common. */
export interface RawOptions {
  readonly capabilities?: JsonObject
  readonly meta?: JsonObject
  readonly headers?: Readonly<Record<string, string>>
  readonly path?: string
  readonly signal?: AbortSignal
}

/** One request as a client without any SDK sends it. */
export function send(
  { origin }: Listening,
  method: string,
  params: JsonObject = {},
  options: RawOptions = {},
): Promise<Response> {
  const { capabilities = {}, meta = {}, headers = {}, path = '/mcp', signal } = options
  const name = params.name ?? params.uri
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...meta,
  }
  return fetch(`${origin}${path}`, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': revision,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { ...params, _meta } }),
    ...(signal && { signal }),
  })
}

/** The answer to one request: the status, and the message that ends it. */
export interface RawAnswer {
  readonly status: number
  readonly told: readonly JsonObject[]
  readonly result?: JsonObject
  readonly error?: { readonly code: number; readonly message: string; readonly data?: JsonObject }
}

export async function ask(...parts: Parameters<typeof send>): Promise<RawAnswer> {
  return answerIn(await send(...parts))
}

/** Reads a response to its end. */
export async function answerIn(response: Response): Promise<RawAnswer> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const message = (await response.json()) as Pick<RawAnswer, 'result' | 'error'>
    return { status: response.status, told: [], ...message }
  }
  const events = eventsOf(response)
  const told: JsonObject[] = []
  for (let event = await events.next(); event !== undefined; event = await events.next()) {
    const message = JSON.parse(event.data)
    if ('method' in message) told.push(message)
    else return { status: response.status, told, ...message }
  }
  throw new TypeError('The stream ended without an answer.')
}
