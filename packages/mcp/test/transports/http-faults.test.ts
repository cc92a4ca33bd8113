import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createOutboundFetch } from '../../../host/src/outbound/create-outbound-fetch.ts'
import { createGuardedFetch } from '../../src/transports/guarded-fetch.ts'
import { failureOf, settled, textOf } from '../observe.ts'
import { callBy, openProject } from '../open-project.ts'
import { connectTo, inTime } from './connect-to.ts'
import { type Answer, json, listen } from './listen-http.ts'

const call = { name: 'hello', arguments: {} }
const result = { content: [{ type: 'text', text: 'late' }] }

/** A server that answers calls in its own way, once or always. */
function onCall(answer: Answer, always = true): Answer {
  let isDone = false
  return (message, response, request) => {
    if (message.method !== 'tools/call' || (isDone && !always)) return
    isDone = true
    answer(message, response, request)
  }
}

const events = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })

describe('a session that the server has forgotten', () => {
  function forgetful() {
    let session = 0
    let isForgotten = false
    const answer: Answer = ({ method }, response, { headers }) => {
      if (method === 'initialize') {
        session += 1
        isForgotten = false
        response.setHeader('mcp-session-id', `s-${session}`)
      } else if (isForgotten || headers['mcp-session-id'] !== `s-${session}`) response.writeHead(404).end()
    }
    return {
      answer,
      forget: () => {
        isForgotten = true
      },
    }
  }

  it('fails its request as one that was not done, and says that the session is lost', async () => {
    const { answer, forget } = forgetful()
    await using server = await listen(answer)
    const peer = await connectTo(server.url)
    forget()
    const failure = await failureOf(peer.request('tools/call', call, inTime))
    expect(failure.code).toBe('SERVER_UNAVAILABLE')
    expect(failure.data).toEqual({ sent: false, status: 404, sessionLost: true })
  })

  it('is begun anew, and what is listed in it is compared before the call', async () => {
    const { answer, forget } = forgetful()
    await using server = await listen(answer)
    await using project = await openProject()
    const provider = await project.open(project.start(), 'web', { url: server.url })
    await settled(provider)
    forget()
    const before = server.seen.length
    // The one that finds out may be the one that is repeated.
    await provider.call('hello', {}, callBy()).catch(() => {})
    expect(textOf(await provider.call('hello', {}, callBy()))).toBe('hello over http')
    const since = server.seen.slice(before).flatMap(({ message }) => message?.method ?? [])
    const served = since.slice(since.indexOf('initialize'))
    expect(served.slice(0, 4)).toEqual(['initialize', 'notifications/initialized', 'tools/list', 'tools/call'])
  })

  it('is no lost one where there was none', async () => {
    await using server = await listen(onCall((_message, response) => response.writeHead(404).end()))
    const peer = await connectTo(server.url)
    const failure = await failureOf(peer.request('tools/call', call, inTime))
    expect(failure.data).toEqual({ sent: false, status: 404 })
  })
})

it.each([401, 403])(
  'a token that is refused with %i in a session fails its request at once, unseen',
  async (status) => {
    const authorization = 'Bearer TOKEN-canary'
    await using server = await listen(
      onCall((_message, response, request) => {
        response.writeHead(status, { 'www-authenticate': `Bearer error="${request.headers.authorization}"` })
        response.end(request.headers.authorization)
      }),
    )
    const peer = await connectTo(server.url, { headers: { authorization } })
    const failure = await failureOf(peer.request('tools/call', call, { ...inTime, repeatable: true }))
    expect(failure).toMatchObject({ code: 'SERVER_UNAVAILABLE', data: { sent: false, status } })
    expect(JSON.stringify([failure, failure.message, failure.hint, String(failure.cause)])).not.toContain('canary')
    expect(server.seen.filter(({ message }) => message?.method === 'tools/call')).toHaveLength(1)
  },
)

describe('a server that asks to come later', () => {
  const busy = (status: number, after: () => string) =>
    onCall((_message, response) => response.writeHead(status, { 'retry-after': after() }).end(), false)
  const callsOf = ({ seen }: Awaited<ReturnType<typeof listen>>) =>
    seen.filter(({ message }) => message?.method === 'tools/call').length

  it.each([
    [429, 'in seconds', () => '1'],
    [503, 'as a date', () => new Date(Date.now() + 2_000).toUTCString()],
  ])('with %i %s is asked again then, for what changes nothing', async (status, _how, after) => {
    await using server = await listen(busy(status, after))
    const peer = await connectTo(server.url)
    const startedAt = performance.now()
    const answer = await peer.request('tools/call', call, { ...inTime, repeatable: true })
    expect(answer).toMatchObject({ ok: true })
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(900)
    expect(callsOf(server)).toBe(2)
  })

  it.each([
    [429, false],
    [503, true],
  ])('with %i is not asked again for a write, whose caller is told when', async (status, sent) => {
    await using server = await listen(busy(status, () => '1'))
    const peer = await connectTo(server.url)
    const failure = await failureOf(peer.request('tools/call', call, inTime))
    expect(failure).toMatchObject({ code: 'SERVER_UNAVAILABLE', data: { sent, status, retryAfterMs: 1_000 } })
    expect(failure.message).toContain('in 1 s')
    expect(callsOf(server)).toBe(1)
  })

  it('after the time that the request may take fails it at once', async () => {
    await using server = await listen(busy(429, () => '6'))
    const peer = await connectTo(server.url)
    const startedAt = performance.now()
    const failure = await failureOf(peer.request('tools/call', call, { ...inTime, repeatable: true }))
    expect(failure.data).toMatchObject({ retryAfterMs: 6_000 })
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })

  it('is not asked again for a caller who has left', async () => {
    await using server = await listen(busy(429, () => '1'))
    const peer = await connectTo(server.url)
    const caller = new AbortController()
    const asking = failureOf(peer.request('tools/call', call, { ...inTime, signal: caller.signal, repeatable: true }))
    await expect.poll(() => callsOf(server)).toBe(1)
    caller.abort()
    expect((await asking).code).toBe('SERVER_UNAVAILABLE')
    expect(callsOf(server)).toBe(1)
  })

  it('is asked again for a tool that reads, and not for one that writes', async () => {
    await using server = await listen(
      onCall((_message, response) => {
        if (callsOf(server) % 2 === 1) response.writeHead(429, { 'retry-after': '0' }).end()
      }),
    )
    await using project = await openProject()
    const provider = await project.open(project.start(), 'web', { url: server.url })
    await settled(provider)
    expect(textOf(await provider.call('hello', {}, callBy()))).toBe('hello over http')
    expect(callsOf(server)).toBe(2)
    const failure = await failureOf(provider.call('hello', {}, callBy('ann', { effect: 'write' })))
    expect(failure.message).toContain('429')
    expect(callsOf(server)).toBe(3)
  })
})

describe('an answer that is none', () => {
  it.each<[string, string, string, (response: ServerResponse, id: number | undefined) => void]>([
    ['accepted and nothing more', 'SERVER_PROTOCOL', 'instead of', (response) => response.writeHead(202).end()],
    [
      'accepted, as JSON',
      'SERVER_PROTOCOL',
      'instead of',
      (response) => response.writeHead(202, { 'content-type': 'application/json' }).end('{}'),
    ],
    ['empty', 'SERVER_PROTOCOL', 'instead of', (response) => response.writeHead(204).end()],
    [
      'an empty text',
      'SERVER_PROTOCOL',
      'can not be read',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
    ],
    [
      'HTML with a secret',
      'SERVER_PROTOCOL',
      'text/html',
      (response) => response.writeHead(200, { 'content-type': 'Text/HTML; charset=utf-8' }).end('<p>canary</p>'),
    ],
    ['to another request', 'SERVER_PROTOCOL', 'not to what it was asked', (response) => json(response, 4_711, result)],
    ['a stream without events', 'SERVER_UNAVAILABLE', 'closed before', (response) => events(response).end()],
    [
      'a stream with the answer to another request',
      'SERVER_UNAVAILABLE',
      'closed before',
      (response) => events(response).end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 4_711, result })}\n\n`),
    ],
    [
      'a stream that is reset',
      'SERVER_UNAVAILABLE',
      'closed before',
      (response) => events(response).write(': here\n\n', () => response.destroy()),
    ],
    [
      'an event that is too large',
      'SERVER_PROTOCOL',
      'more than 200000 bytes',
      (response) => {
        events(response).write(`data: "${'y'.repeat(300_000)}`)
      },
    ],
    [
      'half of a text',
      'SERVER_UNAVAILABLE',
      'closed before',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '900' })
        response.write('{"canary', () => response.destroy())
      },
    ],
  ])('(%s) fails the call at once, with a code', async (_what, code, text, answer) => {
    await using server = await listen(onCall(({ id }, response) => answer(response, id)))
    const peer = await connectTo(server.url)
    const startedAt = performance.now()
    const failure = await failureOf(peer.request('tools/call', call, inTime))
    expect(failure).toMatchObject({ code, data: { sent: true } })
    expect(failure.message).toContain(text)
    expect(`${failure.message} ${failure.hint}`).not.toContain('canary')
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })

  it('many events that are large only together are no fault', async () => {
    await using server = await listen(
      onCall(({ id }, response) => {
        const note = `event: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/x","params":{"y":"${'y'.repeat(60_000)}"}}\r\n\r\n`
        events(response).write(note.repeat(8))
        response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
      }),
    )
    const peer = await connectTo(server.url)
    expect(await peer.request('tools/call', call, inTime)).toEqual({ ok: true, result })
  })
})

it('a stream that its server leaves open after the answer is closed', async () => {
  let closed = 0
  await using server = await listen(
    onCall(({ id }, response) => {
      events(response).write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
      response.on('close', () => {
        closed += 1
      })
    }),
  )
  const peer = await connectTo(server.url)
  expect(await peer.request('tools/call', call, inTime)).toEqual({ ok: true, result })
  await expect.poll(() => closed, { timeout: 3_000 }).toBe(1)
  expect(await peer.request('ping', {}, inTime)).toEqual({ ok: true, result: {} })
})

describe('a stream whose events have ids', () => {
  const cut: Answer = onCall((_message, response) => events(response).end('retry: 50\nid: here-1\ndata: \n\n'))

  it('is resumed where it ended', async () => {
    const asked: unknown[] = []
    await using server = await listen(cut, (request, response) => {
      const from = request.headers['last-event-id']
      if (from === undefined) return response.writeHead(405).end()
      asked.push(from)
      const id = server.seen.findLast(({ message }) => message?.method === 'tools/call')?.message?.id
      events(response).end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
    })
    const peer = await connectTo(server.url)
    expect(await peer.request('tools/call', call, inTime)).toEqual({ ok: true, result })
    expect(asked).toEqual(['here-1'])
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['is not known any more', (response) => response.writeHead(404).end()],
    ['is no stream', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
    ['ends again', (response) => events(response).end(': nothing\n\n')],
  ])('and which then %s ends its request at once', async (_what, answer) => {
    await using server = await listen(cut, (request, response) => {
      if (request.headers['last-event-id'] === undefined) response.writeHead(405).end()
      else answer(response)
    })
    const peer = await connectTo(server.url)
    const startedAt = performance.now()
    const failure = await failureOf(peer.request('tools/call', call, inTime))
    expect(failure).toMatchObject({ code: 'SERVER_UNAVAILABLE', data: { sent: true } })
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })

  it('is closed when its caller has left', async () => {
    let closed = 0
    await using server = await listen(
      onCall((_message, response) => {
        events(response).write('retry: 50\nid: here-1\ndata: \n\n')
        response.on('close', () => {
          closed += 1
        })
      }),
    )
    const peer = await connectTo(server.url)
    const failure = await failureOf(peer.request('tools/call', call, { ...inTime, timeoutMs: 200 }))
    expect(failure.code).toBe('SERVER_TIMEOUT')
    await expect.poll(() => closed, { timeout: 3_000 }).toBe(1)
  })

  it('is resumed once, for the request that it belongs to, and not for one that nobody waits for', async () => {
    await using server = await listen(cut)
    await using outbound = createOutboundFetch()
    const target = { kind: 'http', name: 'web', url: new URL(server.url), headers: {}, secrets: [] } as const
    const guarded = createGuardedFetch(
      { ...target, allowPrivate: true, transport: undefined },
      { fetch: outbound.fetch, maxBytes: 1_000, onEnded() {} },
    )
    const resume = async () => {
      await guarded(server.url, { method: 'GET', headers: { 'last-event-id': 'here-1' } })
      return server.seen.filter(({ method }) => method === 'GET').length
    }
    const ask = async (id: number) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: call })
      await (await guarded(server.url, { method: 'POST', body })).text()
    }
    await ask(1)
    guarded.abandon(1)
    expect(await resume()).toBe(0)
    await ask(2)
    expect(await resume()).toBe(1)
    expect(await resume()).toBe(1)
  })
})

it('a page instead of the stream in which a server speaks by itself is not asked for again', async () => {
  await using server = await listen(undefined, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')
  })
  const peer = await connectTo(server.url)
  const gets = () => server.seen.filter(({ method }) => method === 'GET').length
  await expect.poll(gets).toBe(1)
  expect(await peer.request('tools/list', {}, inTime)).toMatchObject({ ok: true })
  expect(gets()).toBe(1)
})
