import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type ResolveHost, resolveChecked, resolveHost } from './checked-lookup.ts'
import { outboundFault } from './outbound-fault.ts'
import type { OutboundOptions } from './outbound-fetch.ts'

/**
 * Sends messages to a `udp:`, `tcp:` or `tls:` address that was checked like any other, over a connection of their own.
 * Resolves when they are handed over: over UDP nobody knows whether they arrive.
 *
 * @throws {RollcallError} `ADDRESS_REFUSED`, `SERVER_UNAVAILABLE`.
 */
export type SendToSocket = (
  url: URL,
  messages: readonly Uint8Array[],
  by: OutboundOptions & { readonly signal: AbortSignal },
) => Promise<void>

const defaultPorts: Readonly<Record<string, number>> = { 'udp:': 514, 'tcp:': 601, 'tls:': 6514 }
const limitMs = 10_000

/** @param resolve default: the system's */
export function createSendToSocket(resolve: ResolveHost = resolveHost): SendToSocket {
  return async (url, messages, by) => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const port = Number(url.port) || (defaultPorts[url.protocol] ?? 0)
    try {
      const find: ResolveHost = isIP(host) === 0 ? resolve : async () => [{ address: host, family: isIP(host) }]
      const [to] = await resolveChecked(host, { allowPrivate: by.allowPrivate, resolve: find })
      if (to === undefined) return
      const signal = AbortSignal.any([by.signal, AbortSignal.timeout(limitMs)])
      if (url.protocol === 'udp:') await overUdp(to, port, messages)
      else
        await overStream(url.protocol === 'tls:' ? tls(to, port, host) : connectTcp(port, to.address), messages, signal)
    } catch (error) {
      throw outboundFault(error, { url, by, sent: false })
    }
  }
}

function tls({ address }: { readonly address: string }, port: number, host: string): Socket {
  return connectTls({ host: address, port, ...(isIP(host) === 0 && { servername: host }) })
}

async function overUdp(
  { address, family }: { readonly address: string; readonly family: number },
  port: number,
  messages: readonly Uint8Array[],
): Promise<void> {
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
  try {
    for (const message of messages)
      await new Promise<void>((done, fail) => {
        socket.send(message, port, address, (error) => (error === null || error === undefined ? done() : fail(error)))
      })
  } finally {
    socket.close()
  }
}

/** Until the other side has closed, too: then it has most likely read all of it. */
async function overStream(socket: Socket, messages: readonly Uint8Array[], signal: AbortSignal): Promise<void> {
  const giveUp = () => socket.destroy(new Error('It did not take everything in time.'))
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    const closed = once(socket, 'close')
    // Some never close their side: a second after everything was handed over, it counts as taken.
    const handedOver = once(socket, 'finish').then(() => new Promise((done) => setTimeout(done, 1_000).unref()))
    const failed = new Promise<never>((_, fail) => socket.once('error', fail))
    for (const message of messages) socket.write(message)
    socket.end()
    socket.resume()
    await Promise.race([closed, failed, handedOver])
  } finally {
    signal.removeEventListener('abort', giveUp)
    socket.destroy()
  }
}
