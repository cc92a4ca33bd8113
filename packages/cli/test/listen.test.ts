import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { listen } from '../src/listen.ts'

/** Sends bytes as they are. @returns all that comes back. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk
  })
  socket.end(text)
  await once(socket, 'close')
  return answer
}

const request = (path: string, host: string) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`

describe('the listener', () => {
  it('tells to come again until something answers, and then hands it every path', async () => {
    await using listener = await listen({ host: '127.0.0.1', port: 0 })
    expect(await raw(listener.port, request('/mcp', 'localhost'))).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1/is)
    const seen: string[] = []
    listener.attach({
      async fetch({ url }, { remoteAddress }) {
        seen.push(`${new URL(url).pathname} from ${remoteAddress}`)
        return new Response('here')
      },
      async [Symbol.asyncDispose]() {},
    })
    for (const path of ['/mcp', '/mcp/../mcp', '/elsewhere']) await raw(listener.port, request(path, 'evil.example'))
    expect(seen).toEqual(['/mcp from 127.0.0.1', '/mcp from 127.0.0.1', '/elsewhere from 127.0.0.1'])
  })

  it('answers a malformed request as a fault of its sender, and a fault of our own without a word about it', async () => {
    await using listener = await listen({ host: '127.0.0.1', port: 0 })
    listener.attach({
      fetch: () => Promise.reject(new TypeError('secret detail')),
      async [Symbol.asyncDispose]() {},
    })
    expect(await raw(listener.port, request('/mcp', 'a b'))).toMatch(/^HTTP\/1\.1 400 /)
    const fault = await raw(listener.port, request('/mcp', 'localhost'))
    expect(fault).toMatch(/^HTTP\/1\.1 500 /)
    expect(fault).not.toContain('secret detail')
  })
})
