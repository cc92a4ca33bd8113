import type { Agent, Dispatcher } from 'undici'
import { checkedLookup, type ResolveHost } from './checked-lookup.ts'
import { createTunnel } from './create-tunnel.ts'
import { isExempt } from './no-proxy.ts'

/** Through what the network is reached. */
export interface OutboundRoute {
  /** The address of an HTTP proxy, with `user:password@` where it asks for them. Default: none. */
  readonly proxy?: string
  /**
   * What is reached without it, besides this machine: hosts with all that is below them, addresses, or `*`, each with or
   * without `:port`.
   */
  readonly noProxy?: readonly string[]
}

/** Pools of connections, apart by what may be reached through them: none is handed to somebody who may reach less. */
export interface Agents {
  for(url: URL, allowPrivate: boolean): Dispatcher
  /** Ends every connection. */
  close(): Promise<void>
}

const connectTimeoutMs = 30_000

/** Loads the HTTP client, which takes its time: nobody pays for it who fetches nothing. */
export async function createAgents(route: OutboundRoute, resolve: ResolveHost): Promise<Agents> {
  const undici = await import('undici')
  const made = new Map<string, Agent>()
  const tunnels: { close(): Promise<void> }[] = []
  // How long an answer may take is for the caller's signal to say, and a stream of events may be silent for hours.
  const endless = { headersTimeout: 0, bodyTimeout: 0 }

  const makeDirect = (allowPrivate: boolean) =>
    new undici.Agent({
      ...endless,
      connect: { lookup: checkedLookup({ allowPrivate, resolve }), timeout: connectTimeoutMs },
    })
  const makeTunnelled = (proxy: string, allowPrivate: boolean) => {
    const tunnel = createTunnel(undici, { proxy: new URL(proxy), allowPrivate, resolve, timeoutMs: connectTimeoutMs })
    tunnels.push(tunnel)
    return new undici.Agent({ ...endless, connect: tunnel.connect })
  }

  return {
    for(url, allowPrivate) {
      const { proxy, noProxy = [] } = route
      const through = proxy === undefined || isExempt(url, noProxy) ? undefined : proxy
      const key = `${through === undefined ? 'direct' : 'proxy'} ${allowPrivate}`
      const agent =
        made.get(key) ?? (through === undefined ? makeDirect : makeTunnelled.bind(null, through))(allowPrivate)
      made.set(key, agent)
      return agent
    },
    async close() {
      await Promise.all([...made.values()].map((agent) => agent.destroy()))
      await Promise.all(tunnels.map((tunnel) => tunnel.close()))
    },
  }
}
