import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { pick, type Random } from './seeded-random.ts'
import type { Tally } from './tally.ts'

/** Whoever cuts a client's connections also says what becomes of its session. */
export type Cut = 'resume' | 'terminate'

/** One client session that never rests. */
export interface SoakClient {
  /** Works until the signal, then ends its session. Never rejects. */
  run(until: AbortSignal): Promise<void>
  /** Cuts its connections wherever it is. It comes back to its session, or ends it and begins another. */
  cut(how: Cut): void
}

/** Longer than any limit of the host, so that it is the host that ends a request. */
const patience = { timeout: 600_000 }
const calls: readonly (readonly [name: string, args: (random: Random) => Record<string, unknown>])[] = [
  ['everything__echo', () => ({ message: 'soak' })],
  ['everything__get-sum', () => ({ a: 1, b: 2 })],
  ['everything__trigger-long-running-operation', () => ({ duration: 1, steps: 4 })],
  ['memory__read_graph', () => ({})],
  ['memory__create_entities', () => ({ entities: [{ name: 'soak', entityType: 'run', observations: [] }] })],
  ['files__list_directory', () => ({ path: '.' })],
  ['web__echo', () => ({ message: 'soak' })],
  ['web__get-sum', () => ({ a: 1, b: 2 })],
  ['shaky__work', (random) => ({ die: ['now', 'later'][Math.floor(random() * 200)] ?? 'never' })],
]

/** Where it works, and what it is. */
export interface SoakClientOptions {
  readonly url: URL
  readonly random: Random
  readonly tally: Tally
  /** It has folders that servers may ask for, and so shares no connection with those who have none. */
  readonly hasRoots: boolean
}

/** Makes one; it connects when it runs. */
export function createSoakClient({ url, random, tally, hasRoots }: SoakClientOptions): SoakClient {
  let client = newClient(hasRoots)
  let transport: StreamableHTTPClientTransport | undefined
  /** Its session is begun and may be cut. */
  let isConnected = false
  let cut: Cut | undefined
  let uris: readonly string[] = []

  const connect = async () => {
    const old = transport
    const sessionId = cut === 'resume' ? old?.sessionId : undefined
    if (cut === 'terminate') await end(url, old)
    cut = undefined
    // The client of a session that goes on stays: a new one would have to initialise.
    if (sessionId === undefined) client = newClient(hasRoots)
    transport = new StreamableHTTPClientTransport(url, sessionId === undefined ? {} : { sessionId })
    if (old?.protocolVersion !== undefined && sessionId !== undefined) transport.setProtocolVersion(old.protocolVersion)
    // The transport declares its session id differently, which only exact optional types mind.
    await client.connect(transport as never, patience)
    isConnected = true
    if (uris.length > 0) return
    uris = (await client.listResources({}, patience)).resources.map(({ uri }) => uri)
  }
  const actions: readonly (readonly [weight: number, act: () => Promise<void>])[] = [
    [60, callSomething],
    [12, () => withUri('read', (uri) => client.readResource({ uri }, patience))],
    [7, () => withUri('subscribe', (uri) => client.subscribeResource({ uri }, patience))],
    [7, () => withUri('unsubscribe', (uri) => client.unsubscribeResource({ uri }, patience))],
    [7, () => tally.count('tools/list', () => client.listTools({}, patience))],
    [7, () => tally.count('resources/list', () => client.listResources({}, patience))],
  ]
  async function callSomething() {
    const [name, args] = pick(random, calls) ?? ['', () => ({})]
    await tally.count(name, () => client.callTool({ name, arguments: args(random) }, undefined, patience))
  }
  async function withUri(name: string, ask: (uri: string) => Promise<unknown>) {
    const uri = pick(random, uris)
    if (uri !== undefined) await tally.count(name, () => ask(uri))
  }
  return {
    async run(until) {
      while (!until.aborted) {
        if (!isConnected) {
          await tally.count('connect', connect)
          continue
        }
        await choose(random, actions)()
        await sleep(20 + random() * 80)
      }
      await client.close()
      await end(url, transport)
      isConnected = false
      transport = undefined
    },
    cut(how) {
      if (!isConnected) return
      isConnected = false
      cut = how
      void transport?.close()
    },
  }
}

function newClient(hasRoots: boolean): Client {
  const client = new Client({ name: 'soak', version: '1.0.0' }, hasRoots ? { capabilities: { roots: {} } } : {})
  if (hasRoots) client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///soak' }] }))
  return client
}

function choose(random: Random, actions: readonly (readonly [weight: number, act: () => Promise<void>])[]) {
  let at = random() * actions.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, act] of actions) {
    at -= weight
    if (at < 0) return act
  }
  return async () => {}
}

/** Ends the session; its server may not know it any more. */
async function end(url: URL, transport: StreamableHTTPClientTransport | undefined): Promise<void> {
  const { sessionId, protocolVersion } = transport ?? {}
  if (sessionId === undefined) return
  const headers = { 'mcp-session-id': sessionId, ...(protocolVersion && { 'mcp-protocol-version': protocolVersion }) }
  // Not by the transport, whose requests are all aborted once it was cut.
  const response = await fetch(url, { method: 'DELETE', headers }).catch(() => undefined)
  await response?.body?.cancel()
}
