import { Client, type ClientOptions } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { localClient, type Profile } from '@rollcall/host'
import { createFace } from '../../src/serve/create-face.ts'
import { createKeylessAuthenticate } from '../../src/serve/keyless.ts'
import { type Listening, listen } from './listen.ts'
import { createStubHost, type StubFeatures, type StubHost, type StubTool } from './stub-host.ts'

type FaceOptions = Parameters<typeof createFace>[1]

/** A face over a stub host behind a real socket, and everything that was opened on it. */
export interface ServedStub extends StubHost, Listening {}

export async function serveStub(
  tools: readonly StubTool[],
  features: StubFeatures = {},
  options: Partial<FaceOptions> & { readonly hostProfiles?: readonly Profile[] } = {},
): Promise<ServedStub> {
  const { hostProfiles = [], ...faceOptions } = options
  const stub = createStubHost(tools, hostProfiles, features)
  const authenticate = createKeylessAuthenticate({ boundTo: '127.0.0.1', profiles: [], principal: localClient })
  const listening = await listen(createFace(stub.host, { profiles: [], authenticate, ...faceOptions }))
  return { ...stub, ...listening }
}

/** A client of the SDK; `hasStream` once the session's own stream is open. */
export async function connectClient(
  { origin }: Listening,
  capabilities: ClientOptions['capabilities'] = {},
  prepare: (client: Client) => void = () => {},
): Promise<{ readonly client: Client; readonly sessionId: string; hasStream(): boolean } & AsyncDisposable> {
  const client = new Client({ name: 'tester', version: '1' }, { capabilities })
  prepare(client)
  let hasStream = false
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
    async fetch(url, init) {
      const response = await fetch(url, init)
      if (init?.method === 'GET' && response.ok) hasStream = true
      return response
    },
  })
  await client.connect(transport)
  return {
    client,
    sessionId: transport.sessionId ?? '',
    hasStream: () => hasStream,
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** A session of a client that speaks for itself, without any SDK. */
export interface RawSession {
  readonly id: string
  readonly version: string
  post(body: unknown, options?: { readonly accept?: string; readonly signal?: AbortSignal }): Promise<Response>
  get(lastEventId?: string): Promise<Response>
  end(): Promise<Response>
}

export async function openRawSession(
  { origin }: Listening,
  protocolVersion = '2025-11-25',
  capabilities: object = {},
): Promise<RawSession> {
  const url = `${origin}/mcp`
  const accept = 'application/json, text/event-stream'
  const json = { accept, 'content-type': 'application/json' }
  const clientInfo = { name: 'raw', version: '1' }
  const initialize = {
    jsonrpc: '2.0',
    id: 'init',
    method: 'initialize',
    params: { protocolVersion, capabilities, clientInfo },
  }
  const begun = await fetch(url, { method: 'POST', headers: json, body: JSON.stringify(initialize) })
  const { result } = (await begun.json()) as { result: { protocolVersion: string } }
  const id = begun.headers.get('mcp-session-id') ?? ''
  const session = { 'mcp-session-id': id }
  return {
    id,
    version: result.protocolVersion,
    post: (body, options = {}) =>
      fetch(url, {
        method: 'POST',
        headers: { ...json, ...session, ...(options.accept !== undefined && { accept: options.accept }) },
        body: JSON.stringify(body),
        ...(options.signal && { signal: options.signal }),
      }),
    get: (lastEventId) =>
      fetch(url, {
        headers: {
          accept: 'text/event-stream',
          ...session,
          ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
        },
      }),
    end: () => fetch(url, { method: 'DELETE', headers: session }),
  }
}

/** One event as it came over a stream. */
export interface ReadEvent {
  readonly id?: string
  readonly retry?: string
  readonly data: string
}

/** Reads the events of a response one by one; `undefined` at its end. */
export function eventsOf(response: Response): { next(): Promise<ReadEvent | undefined>; leave(): Promise<void> } {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  return {
    async next() {
      for (;;) {
        const end = rest.indexOf('\n\n')
        if (end >= 0) {
          const block = rest.slice(0, end)
          rest = rest.slice(end + 2)
          const fields = Object.fromEntries(
            block.split('\n').map((line) => {
              const colon = line.indexOf(': ')
              return [line.slice(0, colon), line.slice(colon + 2)]
            }),
          )
          if (fields.data !== undefined) return { data: '', ...fields }
          continue
        }
        const chunk = await reader?.read()
        if (chunk === undefined || chunk.done) return undefined
        rest += chunk.value
      }
    },
    leave: async () => reader?.cancel(),
  }
}
