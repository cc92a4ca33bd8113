import type { LookupAddress } from 'node:dns'
import { isRollcallError } from '@rollcall/plugin'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ResolveHost } from '../../src/outbound/checked-lookup.ts'
import { type CreateOutboundOptions, createOutboundFetch } from '../../src/outbound/create-outbound-fetch.ts'
import type { OutboundOptions } from '../../src/outbound/outbound-fetch.ts'
import { privateSpellings, refusedSpellings } from './address-spellings.ts'
import { listen } from './listen.ts'

const own: OutboundOptions = { name: 'web', allowPrivate: true }
const foreign: OutboundOptions = { name: 'web', allowPrivate: false }

function open(options: CreateOutboundOptions = {}) {
  const outbound = createOutboundFetch(options)
  onTestFinished(() => outbound[Symbol.asyncDispose]())
  return outbound.fetch
}

/** Answers for one name, with the next list at each question, and the last one for ever. */
function nameServer(...answers: readonly (readonly string[])[]) {
  const asked: string[] = []
  const resolve: ResolveHost = async (host) => {
    asked.push(host)
    const list = answers[Math.min(asked.length, answers.length) - 1] ?? []
    return list.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  return { asked, resolve }
}

async function failureOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return isRollcallError(error) ? error : expect.fail(`expected a RollcallError, got ${String(error)}`)
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('addresses', () => {
  it.each(refusedSpellings)('R-SEC-15 one %s is refused, whoever asks', async (_how, url) => {
    const { asked, resolve } = nameServer(['127.0.0.1'])
    const failure = await failureOf(open({ resolve })(url, {}, own))
    expect(failure).toMatchObject({ code: 'ADDRESS_REFUSED', data: { sent: false } })
    expect(failure.message).toContain('web')
    expect(asked).toEqual([])
  })

  it.each(privateSpellings)('R-SEC-15 %s is refused where private addresses are not allowed', async (_how, at) => {
    await using server = await listen()
    const failure = await failureOf(open()(at(server.port), {}, foreign))
    expect(failure.code).toBe('ADDRESS_REFUSED')
    expect(failure.message).toContain('a private address')
    expect(server.connections()).toBe(0)
  })

  it('a private one is reached where it is allowed', async () => {
    await using server = await listen()
    const response = await open()(server.origin, {}, own)
    expect([response.status, await response.text()]).toEqual([200, 'hello'])
  })

  it('an address is not shown when it is refused but for its host', async () => {
    const fetch = open()
    for (const url of ['http://me:hunter2-canary@1.1.1.1/', 'http://169.254.169.254/?token=canary', 'canary canary']) {
      const { message, hint, data } = await failureOf(fetch(url, {}, own))
      expect(JSON.stringify([message, hint, data])).not.toContain('canary')
    }
  })
})

describe('names', () => {
  it('R-SEC-15 the connection goes to an address that was checked: the name is resolved once', async () => {
    await using server = await listen()
    const { asked, resolve } = nameServer(['127.0.0.1'], ['169.254.169.254'])
    const response = await open({ resolve })(`http://rebinding.test:${server.port}/`, {}, own)
    expect(await response.text()).toBe('hello')
    expect(server.asked[0]?.headers.host).toBe(`rebinding.test:${server.port}`)
    expect(asked).toEqual(['rebinding.test'])
  })

  it('R-SEC-15 a name that means another address at the next connection is refused there', async () => {
    await using server = await listen((response) => response.setHeader('connection', 'close').end('hello'))
    const { resolve } = nameServer(['127.0.0.1'], ['169.254.169.254'])
    const fetch = open({ resolve })
    const url = `http://rebinding.test:${server.port}/`
    expect(await (await fetch(url, {}, own)).text()).toBe('hello')
    expect(await failureOf(fetch(url, {}, own))).toMatchObject({ code: 'ADDRESS_REFUSED', data: { sent: false } })
    expect(server.asked).toHaveLength(1)
  })

  it.each([
    ['a good and a bad address', ['127.0.0.1', '169.254.169.254']],
    ['a bad and a good address', ['fe80::1', '127.0.0.1']],
    ['an address with a zone', ['fe80::1%lo']],
    ['no address', []],
    ['nonsense', ['nonsense']],
  ])('R-SEC-15 one that leads to %s is refused whole', async (_what, addresses) => {
    await using server = await listen()
    const { resolve } = nameServer(addresses)
    const failure = await failureOf(open({ resolve })(`http://both.test:${server.port}/`, {}, own))
    expect(failure.code).toBe('ADDRESS_REFUSED')
    expect(server.connections()).toBe(0)
  })

  it('R-SEC-15 one that leads into a private network is refused to whoever may not go there', async () => {
    await using server = await listen()
    const { resolve } = nameServer(['127.0.0.1'])
    const fetch = open({ resolve })
    const url = `http://inside.test:${server.port}/`
    expect((await failureOf(fetch(url, {}, foreign))).code).toBe('ADDRESS_REFUSED')
    expect((await fetch(url, {}, own)).status).toBe(200)
    // The connection that is open now is nobody else's.
    expect((await failureOf(fetch(url, {}, foreign))).code).toBe('ADDRESS_REFUSED')
    expect(server.connections()).toBe(1)
  })

  it('one that nobody knows was not reached', async () => {
    const resolve: ResolveHost = () => Promise.reject(Object.assign(new TypeError('no'), { code: 'ENOTFOUND' }))
    const failure = await failureOf(open({ resolve })('http://nobody.test/', {}, own))
    expect(failure).toMatchObject({ code: 'SERVER_UNAVAILABLE', data: { sent: false } })
    expect(failure.message).toContain('nobody.test')
  })
})

describe('redirects', () => {
  const secret = { authorization: 'Bearer canary', 'x-api-key': 'canary', cookie: 'canary' }

  it.each([307, 308])('%i within the origin is followed with method, headers and body', async (status) => {
    await using server = await listen((response, { url }) =>
      url === '/' ? response.writeHead(status, { location: '/real' }).end() : response.end('real'),
    )
    const response = await open()(`${server.origin}/`, { method: 'POST', headers: secret, body: 'all of it' }, own)
    expect(await response.text()).toBe('real')
    expect(server.asked[1]).toMatchObject({ method: 'POST', url: '/real', headers: secret, body: 'all of it' })
  })

  it.each([301, 302, 303])('%i within the origin is followed for a GET only', async (status) => {
    await using server = await listen((response, { url }) =>
      url === '/' ? response.writeHead(status, { location: '/real' }).end() : response.end('real'),
    )
    const fetch = open()
    expect(await (await fetch(`${server.origin}/`, {}, own)).text()).toBe('real')
    const failure = await failureOf(fetch(`${server.origin}/`, { method: 'POST', body: 'x' }, own))
    // Whoever says "look there" may have done what was posted.
    expect(failure).toMatchObject({ code: 'SERVER_UNAVAILABLE', data: { sent: true } })
    expect(server.asked.map(({ url }) => url)).toEqual(['/', '/real', '/'])
  })

  it.each([301, 302, 303, 307, 308])('R-SEC-16 %i to another origin is refused, which gets nothing', async (status) => {
    await using elsewhere = await listen()
    await using server = await listen((response) => response.writeHead(status, { location: elsewhere.origin }).end())
    const failure = await failureOf(open()(server.origin, { headers: secret }, own))
    expect(failure).toMatchObject({ code: 'SERVER_UNAVAILABLE', data: { sent: false } })
    expect(failure.message).toContain(elsewhere.origin)
    expect(elsewhere.connections()).toBe(0)
  })

  it.each(['https://127.0.0.1/', '//localhost/', 'http://169.254.169.254/', 'file:///etc/passwd', 'http://'])(
    'R-SEC-15 one to %s is refused',
    async (location) => {
      await using server = await listen((response) => response.writeHead(302, { location }).end())
      expect((await failureOf(open()(server.origin, {}, own))).code).toBe('SERVER_UNAVAILABLE')
    },
  )

  it('end after five', async () => {
    await using server = await listen((response, { url }) => response.writeHead(307, { location: `${url}x` }).end())
    expect((await failureOf(open()(`${server.origin}/`, {}, own))).message).toContain('5')
    expect(server.asked).toHaveLength(6)
  })

  it('are refused, or handed to the caller, where that is asked for', async () => {
    await using server = await listen((response) => response.writeHead(302, { location: '/real' }).end())
    const fetch = open()
    const failure = await failureOf(fetch(server.origin, {}, { ...own, redirects: 'refuse' }))
    expect(failure.code).toBe('SERVER_UNAVAILABLE')
    expect((await failureOf(fetch(server.origin, { redirect: 'error' }, own))).code).toBe('SERVER_UNAVAILABLE')
    expect((await fetch(server.origin, { redirect: 'manual' }, own)).status).toBe(302)
    expect(server.asked.every(({ url }) => url === '/')).toBe(true)
  })

  it('an answer that names a place and is no redirect is an answer', async () => {
    await using server = await listen((response) =>
      response.writeHead(201, { location: 'http://1.1.1.1/' }).end('made'),
    )
    expect(await (await open()(server.origin, {}, own)).text()).toBe('made')
  })
})

describe('what is sent', () => {
  it('is what fetch sends: forms, parameters, bytes and streams', async () => {
    await using server = await listen()
    const fetch = open()
    const form = new FormData()
    form.set('city', 'Oslo')
    const post = (body: NonNullable<RequestInit['body']>) =>
      fetch(server.origin, { method: 'POST', body, duplex: 'half' }, own)
    await post(form)
    await post(new URLSearchParams({ city: 'Oslo' }))
    await post(new TextEncoder().encode('bytes'))
    await post(new Blob(['blob']).stream())
    expect(server.asked[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    expect(server.asked[0]?.body).toContain('name="city"')
    expect(server.asked[1]?.headers['content-type']).toContain('application/x-www-form-urlencoded')
    expect(server.asked.slice(1).map(({ body }) => body)).toEqual(['city=Oslo', 'bytes', 'blob'])
  })

  it('goes through no dispatcher of the caller', async () => {
    const dispatch = vi.fn()
    const init = { dispatcher: { dispatch } } as unknown as RequestInit
    expect((await failureOf(open()('http://10.0.0.1/', init, foreign))).code).toBe('ADDRESS_REFUSED')
    await using server = await listen()
    expect((await open()(server.origin, init, own)).status).toBe(200)
    expect(dispatch).not.toHaveBeenCalled()
  })

  it('a header that can not be sent is refused without being repeated', async () => {
    const failure = await failureOf(open()('http://127.0.0.1:9/', { headers: { 'x-key': 'canary\n' } }, own))
    expect(failure).toMatchObject({ code: 'SERVER_UNAVAILABLE', data: { sent: false } })
    expect(JSON.stringify([failure, failure.message, String(failure.cause)])).not.toContain('canary')
  })
})

describe('a failure', () => {
  it('of a connection that never came about says that nothing was sent', async () => {
    const server = await listen()
    await server[Symbol.asyncDispose]()
    const failure = await failureOf(open()(server.origin, { method: 'POST', body: 'x' }, own))
    expect(failure).toMatchObject({ code: 'SERVER_UNAVAILABLE', data: { sent: false, reason: 'ECONNREFUSED' } })
  })

  it('after that says that something was', async () => {
    await using server = await listen((response) => response.socket?.destroy())
    const failure = await failureOf(open()(server.origin, { method: 'POST', body: 'x' }, own))
    expect(failure).toMatchObject({ code: 'SERVER_UNAVAILABLE', data: { sent: true } })
    expect(server.asked).toHaveLength(1)
  })

  it('of an answer that does not begin in time says so', async () => {
    await using server = await listen(() => {})
    const failure = await failureOf(open()(server.origin, {}, { ...own, answerWithinMs: 100 }))
    const data = { sent: true, reason: 'UND_ERR_HEADERS_TIMEOUT' }
    expect(failure).toMatchObject({ code: 'SERVER_UNAVAILABLE', data })
  })

  it("of the caller's own making is its own reason", async () => {
    await using server = await listen(() => {})
    const reason = new DOMException('enough', 'AbortError')
    const controller = new AbortController()
    const fetching = open()(server.origin, { signal: controller.signal }, own)
    await expect.poll(() => server.asked.length).toBe(1)
    controller.abort(reason)
    await expect(fetching).rejects.toBe(reason)
    await expect(open()(server.origin, { signal: AbortSignal.abort(reason) }, own)).rejects.toBe(reason)
  })

  it('a disposed one fetches nothing, and holds no connection', async () => {
    await using server = await listen()
    const outbound = createOutboundFetch()
    expect(await (await outbound.fetch(server.origin, {}, own)).text()).toBe('hello')
    await outbound[Symbol.asyncDispose]()
    expect(await failureOf(outbound.fetch(server.origin, {}, own))).toMatchObject({ data: { sent: false } })
    expect(server.asked).toHaveLength(1)
  })
})
