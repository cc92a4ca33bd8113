import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'

export interface Request {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** An HTTP server on a port of its own that takes what it is sent. */
export async function openHttp(
  answer: (request: Request, count: number) => number | string | Promise<number | string> = () => 200,
) {
  const requests: Request[] = []
  const server = createHttpServer(async (message, response) => {
    let body = ''
    for await (const chunk of message) body += String(chunk)
    const request = { path: message.url ?? '', headers: message.headers, body }
    requests.push(request)
    const said = await answer(request, requests.length)
    response.writeHead(typeof said === 'number' ? said : 200).end(typeof said === 'string' ? said : '{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    /** The records of all requests that were JSON lines. */
    records: () =>
      requests
        .flatMap(({ body }) => body.split('\n').filter(Boolean))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** A syslog server over UDP. */
export async function openUdp() {
  const messages: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (bytes) => messages.push(bytes.toString('utf8')))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    url: `udp://127.0.0.1:${socket.address().port}`,
    messages: () => messages,
    async [Symbol.asyncDispose]() {
      socket.close()
    },
  }
}

/** A syslog server over TCP that reads the length before each message. */
export async function openTcp(options: { readonly closes: boolean } = { closes: true }) {
  let received = Buffer.alloc(0)
  const server = createTcpServer({ allowHalfOpen: !options.closes }, (socket) => {
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
    })
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `tcp://127.0.0.1:${port}`,
    messages(): readonly string[] {
      const found: string[] = []
      for (let at = 0; at < received.length; ) {
        const space = received.indexOf(' ', at)
        const length = Number(received.toString('latin1', at, space))
        found.push(received.toString('utf8', space + 1, space + 1 + length))
        at = space + 1 + length
      }
      return found
    },
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

/** A clock that runs faster than the wall's. */
export function hurried(times: number) {
  const begun = Date.now()
  return {
    now: () => begun + (Date.now() - begun) * times,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal?.aborted === true) return resolve()
        const timer = setTimeout(resolve, ms / times)
        const wake = () => {
          clearTimeout(timer)
          resolve()
        }
        signal?.addEventListener('abort', wake, { once: true })
      }),
  }
}
