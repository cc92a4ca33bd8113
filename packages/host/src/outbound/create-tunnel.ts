import { isIP, type Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { checkedLookup, RefusedAddress, type ResolveHost, resolveChecked } from './checked-lookup.ts'

export interface TunnelOptions {
  readonly proxy: URL
  readonly allowPrivate: boolean
  readonly resolve: ResolveHost
  readonly timeoutMs: number
}

/** Makes connections through an HTTP proxy. */
export interface Tunnel {
  readonly connect: buildConnector.connector
  close(): Promise<void>
}

/**
 * Every connection asks the proxy for a tunnel. Where private addresses are not allowed, the tunnel leads to an address
 * that was checked here, so that a name which means something else to the proxy gains nothing. What the operator
 * declares is asked for by its name, which may mean something to the proxy only.
 */
export function createTunnel(undici: typeof import('undici'), options: TunnelOptions): Tunnel {
  const { proxy, resolve, timeoutMs } = options
  const client = new undici.Pool(proxy.origin, {
    connect: { lookup: checkedLookup({ allowPrivate: true, resolve }), timeout: timeoutMs },
  })
  const secure = undici.buildConnector({ timeout: timeoutMs })
  const credentials = credentialsOf(proxy)

  const open = async (target: buildConnector.Options): Promise<Socket> => {
    const port = target.port || (target.protocol === 'https:' ? '443' : '80')
    const host = await hostFor(target.hostname, options)
    const path = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
    const headers = { host: path, ...(credentials !== undefined && { 'proxy-authorization': credentials }) }
    const { socket, statusCode } = await client.connect({ path, headers, signal: AbortSignal.timeout(timeoutMs) })
    if (statusCode === 200) return socket as Socket
    socket.on('error', () => {}).destroy()
    throw Object.assign(new TypeError(`The proxy answered with HTTP ${statusCode}.`), { code: `PROXY_${statusCode}` })
  }

  return {
    connect(target, callback) {
      open(target).then(
        (socket) => {
          if (target.protocol === 'https:') secure({ ...target, httpSocket: socket }, callback)
          else callback(null, socket)
        },
        (error: unknown) => callback(error instanceof Error ? error : new TypeError('The proxy failed.'), null),
      )
    },
    close: () => client.destroy(),
  }
}

async function hostFor(hostname: string, { allowPrivate, resolve }: TunnelOptions): Promise<string> {
  const host = hostname.replace(/^\[|\]$/g, '')
  // One that is written as an address was checked before anybody connects.
  if (isIP(host) !== 0) return host
  if (allowPrivate) {
    await resolveChecked(host, { allowPrivate, resolve }).catch((error: unknown) => {
      // A name that nobody here knows is what a proxy may be for.
      if (error instanceof RefusedAddress) throw error
    })
    return host
  }
  const [first] = await resolveChecked(host, { allowPrivate, resolve })
  if (first === undefined) throw new RefusedAddress('no address at all')
  return first.address
}

function credentialsOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(text).toString('base64')}`
}
