import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Message = { readonly id?: number; readonly method?: string; readonly params?: { readonly name?: string } }
export type Answer = (message: Message, response: ServerResponse, request: IncomingMessage) => void

export const json = (response: ServerResponse, id: number | undefined, result: unknown) =>
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }))

/**
 * An MCP server over HTTP; `answer` may take over any message by ending the response or sending its head, `onOther` what is
 * no POST.
 */
export async function listen(answer: Answer = () => {}, onOther = refuseOther) {
  const seen: {
    readonly method: string
    readonly url: string
    readonly headers: IncomingMessage['headers']
    readonly message?: Message
  }[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    if (method !== 'POST') {
      seen.push({ method, url, headers })
      onOther(request, response)
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const message: Message = JSON.parse(Buffer.concat(chunks).toString())
    seen.push({ method, url, headers, message })
    answer(message, response, request)
    if (response.writableEnded || response.headersSent) return
    if (message.id === undefined) return response.writeHead(202).end()
    const serverInfo = { name: 'http', version: '1.0.0' }
    const results: Record<string, unknown> = {
      initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo },
      'tools/list': { tools: ['hello', 'other'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
      'tools/call': { content: [{ type: 'text', text: `${message.params?.name} over http` }] },
    }
    json(response, message.id, results[message.method ?? ''] ?? {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  return {
    port,
    seen,
    origin,
    url: `${origin}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function refuseOther(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(405).end()
}
