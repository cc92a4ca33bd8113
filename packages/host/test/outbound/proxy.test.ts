import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { isRollcallError } from '@rollcall/plugin'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ResolveHost } from '../../src/outbound/checked-lookup.ts'
import { createOutboundFetch } from '../../src/outbound/create-outbound-fetch.ts'
import { isExempt } from '../../src/outbound/no-proxy.ts'
import { listen } from './listen.ts'

const own = { name: 'web', allowPrivate: true }
const foreign = { name: 'web', allowPrivate: false }
const unknown: ResolveHost = () => Promise.reject(Object.assign(new TypeError('no'), { code: 'ENOTFOUND' }))

/** A proxy that makes tunnels, all to one server, and remembers what it was asked for. */
async function openProxy(port: number, status = 200) {
  const asked: { readonly target: string; readonly authorization: string | undefined }[] = []
  const proxy = createServer((_request, response) => response.writeHead(500).end())
  proxy.on('connect', ({ url = '', headers }, socket) => {
    asked.push({ target: url, authorization: headers['proxy-authorization'] })
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(socket).pipe(upstream)
    })
    for (const one of [socket, upstream]) one.on('error', () => upstream.destroy())
    socket.on('close', () => upstream.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(async () => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return { asked, host: `127.0.0.1:${(proxy.address() as AddressInfo).port}` }
}

function open(options: Parameters<typeof createOutboundFetch>[0]) {
  const outbound = createOutboundFetch(options)
  onTestFinished(() => outbound[Symbol.asyncDispose]())
  return outbound.fetch
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown) => thrown,
  )
  return isRollcallError(error) ? `${error.code} ${error.data?.sent}` : expect.fail(`got ${String(error)}`)
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('a proxy', () => {
  it('of the environment counts for nothing', async () => {
    await using server = await listen()
    const proxy = await openProxy(server.port)
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) {
      vi.stubEnv(name, name === 'NODE_USE_ENV_PROXY' ? '1' : `http://${proxy.host}`)
    }
    const resolve: ResolveHost = async () => [{ address: '127.0.0.1', family: 4 }]
    const response = await open({ resolve })(`http://named.test:${server.port}/`, {}, own)
    expect(await response.text()).toBe('hello')
    expect(proxy.asked).toEqual([])
  })

  it("of the configuration makes a tunnel to the operator's server by its name, with its own credentials", async () => {
    await using server = await listen()
    const proxy = await openProxy(server.port)
    const fetch = open({ proxy: `http://me:s%20cret@${proxy.host}`, resolve: unknown })
    expect(await (await fetch('http://only-there.test/path', {}, own)).text()).toBe('hello')
    const authorization = `Basic ${Buffer.from('me:s cret').toString('base64')}`
    expect(proxy.asked).toEqual([{ target: 'only-there.test:80', authorization }])
    expect(server.asked[0]?.headers['proxy-authorization']).toBeUndefined()
    expect(server.asked[0]?.headers.host).toBe('only-there.test')
  })

  it('R-SEC-15 makes a tunnel to a checked address for whoever may not go into private networks', async () => {
    await using server = await listen()
    const proxy = await openProxy(server.port)
    const resolve: ResolveHost = async () => [{ address: '1.1.1.1', family: 4 }]
    expect(await (await open({ proxy: `http://${proxy.host}`, resolve })('http://a.test/', {}, foreign)).text()).toBe(
      'hello',
    )
    expect(proxy.asked.map(({ target }) => target)).toEqual(['1.1.1.1:80'])
    expect(await codeOf(open({ proxy: `http://${proxy.host}`, resolve: unknown })('http://a.test/', {}, foreign))).toBe(
      'SERVER_UNAVAILABLE false',
    )
  })

  it.each([
    ['a private address', '10.0.0.1', foreign],
    ['metadata', '169.254.169.254', foreign],
    ['metadata', '169.254.169.254', own],
  ])('R-SEC-15 is not asked for a name that leads to %s', async (_what, address, by) => {
    const proxy = await openProxy(9)
    const resolve: ResolveHost = async () => [{ address, family: 4 }]
    expect(await codeOf(open({ proxy: `http://${proxy.host}`, resolve })('https://a.test/', {}, by))).toBe(
      'ADDRESS_REFUSED false',
    )
    expect(proxy.asked).toEqual([])
  })

  it('that refuses, or is not there, was no way: nothing was sent', async () => {
    const proxy = await openProxy(9, 407)
    expect(await codeOf(open({ proxy: `http://${proxy.host}` })('http://a.test/', {}, own))).toBe(
      'SERVER_UNAVAILABLE false',
    )
    expect(await codeOf(open({ proxy: 'http://127.0.0.1:1' })('http://a.test/', {}, own))).toBe(
      'SERVER_UNAVAILABLE false',
    )
  })

  it('is not asked for this machine', async () => {
    await using server = await listen()
    const proxy = await openProxy(9)
    expect((await open({ proxy: `http://${proxy.host}` })(server.origin, {}, own)).status).toBe(200)
    expect(proxy.asked).toEqual([])
  })
})

describe('an exception', () => {
  it.each([
    ['http://example.com/', 'example.com', true],
    ['http://EXAMPLE.com./', 'Example.com', true],
    ['http://api.example.com/', 'example.com', true],
    ['http://api.example.com/', '*.example.com', true],
    ['http://api.example.com/', '.example.com', true],
    ['http://badexample.com/', 'example.com', false],
    ['http://example.com.evil.test/', 'example.com', false],
    ['http://example.com:8080/', 'example.com:8080', true],
    ['http://example.com/', 'example.com:8080', false],
    ['https://example.com/', 'example.com:443', true],
    ['http://10.0.0.1/', '10.0.0.1', true],
    ['http://110.0.0.1/', '10.0.0.1', false],
    ['http://[fd00::1]/', '[fd00::1]', true],
    ['http://[fd00::1]:81/', '[fd00::1]:81', true],
    ['http://anything.test/', '*', true],
    ['http://127.0.0.1/', 'nothing', true],
    ['http://[::1]/', 'nothing', true],
    ['http://app.localhost/', 'nothing', true],
    ['http://localhost.test/', 'nothing', false],
    ['http://127.example.com/', 'nothing', false],
  ])('%s with %s: %s', (url, entry, expected) => {
    expect(isExempt(new URL(url), [entry])).toBe(expected)
  })
})
