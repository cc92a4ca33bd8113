import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A message as it came in. */
export interface Heard {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly name?: string }
}

/** An HTTP server on a free port that answers every POST by hand. */
export async function listenRaw(answer: (message: Heard, response: ServerResponse) => void) {
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    answer(JSON.parse(await text(request)), response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Answers with one JSON document. */
export function endWith(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body)
}
