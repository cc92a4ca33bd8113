import { createServer } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { McpFace } from '@rollcall/mcp'
import { RollcallError } from '@rollcall/plugin'

/** The one listener of the process. Bound before anything starts, so that a taken port costs nothing. */
export interface HttpListener extends AsyncDisposable {
  readonly host: string
  /** The port that was bound. */
  readonly port: number
  /** From now on requests are answered; before, they are told to come again. */
  attach(face: McpFace): void
}

/** Milliseconds; who sends headers or body drop by drop is let go after these. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
}

/**
 * Opens the listener.
 *
 * @throws {RollcallError} `PORT_IN_USE` when the address is taken or not allowed.
 */
export async function listen(address: { readonly host: string; readonly port: number }): Promise<HttpListener> {
  let face: McpFace | undefined
  const listener = getRequestListener(
    (request, { incoming }) => {
      // Every path goes to the face: it looks at Host and Origin before it says what is there.
      if (face === undefined) return new Response('Starting.\n', { status: 503, headers: { 'retry-after': '1' } })
      return face.fetch(request, { remoteAddress: incoming.socket.remoteAddress ?? '' })
    },
    {
      overrideGlobalObjects: false,
      errorHandler: (error) => new Response('Failed.\n', { status: error instanceof RequestError ? 400 : 500 }),
    },
  )
  const server = createServer(timeouts, listener)
  const bound = Promise.withResolvers<void>()
  server.once('error', (cause: NodeJS.ErrnoException) => bound.reject(unavailable(address, cause)))
  server.listen(address.port, address.host, () => bound.resolve())
  await bound.promise
  const found = server.address()
  return {
    host: address.host,
    port: typeof found === 'object' && found !== null ? found.port : address.port,
    attach(attached) {
      face = attached
    },
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      server.closeAllConnections()
      await closed.promise
    },
  }
}

function unavailable(address: { readonly host: string; readonly port: number }, cause: NodeJS.ErrnoException) {
  const where = `${address.host}:${address.port}`
  const taken = cause.code === 'EADDRINUSE'
  return new RollcallError(
    'PORT_IN_USE',
    taken ? `${where} is in use by another program.` : `${where} can't be listened on (${cause.code ?? 'failed'}).`,
    { hint: 'Stop the other program, or set "http.port" in the configuration (0 picks a free one).', cause },
  )
}
