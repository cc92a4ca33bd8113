import type { Server } from 'node:http'
import { serve } from '@hono/node-server'
import type { McpFace } from '@rollcall/mcp'

/** A face behind a real socket. */
export interface Listening extends AsyncDisposable {
  readonly origin: string
}

/** Opens the face on a free port of the loopback address; disposing it closes both. */
export async function listen(face: McpFace): Promise<Listening> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = serve(
    {
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request, { incoming }) =>
        face.fetch(request, { remoteAddress: ('socket' in incoming && incoming.socket?.remoteAddress) || '' }),
    },
    ({ port }) => resolve(port),
  ) as Server
  const port = await promise
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      await face[Symbol.asyncDispose]()
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
