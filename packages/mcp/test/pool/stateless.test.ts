import type { JsonObject } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import type { McpPeer, OnServerRequest, PeerRequestOptions } from '../../src/peer/mcp-peer.ts'
import { callingSessionOf } from '../../src/pool/calling-session.ts'
import type { Starter } from '../../src/pool/connection.ts'
import { ConnectionPool } from '../../src/pool/connection-pool.ts'
import type { PoolKey } from '../../src/pool/pool-key.ts'
import { able, openSession } from '../open-session.ts'

const key: PoolKey = {
  capabilityClass: JSON.stringify({ elicitation: { form: {} } }),
  subject: 'operator',
  isolation: 'shared',
}
const never = new AbortController().signal

/** A server of the stateless era at the seam: it asks about each request once both are there. */
function statelessServer() {
  const both = Promise.withResolvers<void>()
  let open = 0
  let started = 0
  let out: OnServerRequest | undefined
  const peer: McpPeer = {
    era: 'stateless',
    protocolVersion: '2026-07-28',
    server: { name: 'x', version: '1', capabilities: {} },
    async request(_method: string, params: JsonObject, { onServerRequest, onNotification }: PeerRequestOptions) {
      open += 1
      if (open === 2) both.resolve()
      await both.promise
      onNotification?.('notifications/message', { level: 'info', data: `of ${params.word}` })
      const result = await onServerRequest?.('elicitation/create', { message: params.word ?? '' }, never)
      return { ok: true, result: result ?? {} }
    },
    notify() {},
    onNotification: () => () => {},
    onClosed: () => () => {},
    async [Symbol.asyncDispose]() {},
  }
  const starter: Starter = {
    connectTimeoutMs: 10_000,
    async connect(_signal, _onVitals, onServerRequest) {
      started += 1
      out = onServerRequest
      return peer
    },
    list: async () => ({ tools: new Map(), prompts: [], templates: [], resources: [], findings: [] }),
  }
  const askOutOfTheBlue: OnServerRequest = (...question) => out?.(...question) ?? expect.fail('it was not started')
  return { starter, askOutOfTheBlue, starts: () => started }
}

describe('a server that says for which request it asks', () => {
  it('is shared by able sessions at the same time, and each hears and answers its own', async () => {
    const server = statelessServer()
    const pool = new ConnectionPool('x', {
      idleMs: 10_000,
      keepAlive: false,
      eraNow: () => undefined,
      starterFor: () => server.starter,
    })
    const sessions = ['ann', 'bob'].map((id) => openSession(id, { capabilities: able }))
    const answers = await Promise.all(
      sessions.map((session, of) =>
        pool.use(key, callingSessionOf(session.call()), never, ({ peer, ears }) =>
          peer.request('tools/call', { word: `word ${of}` }, { ...ears, signal: never, timeoutMs: 10_000 }),
        ),
      ),
    )
    for (const [of, answer] of answers.entries()) {
      const by = ['ann', 'bob'][of]
      expect(answer).toEqual({ ok: true, result: { action: 'accept', content: { word: `word ${of}`, by } } })
      expect(sessions[of]?.heard).toEqual([`message of word ${of}`])
    }
    expect(server.starts()).toBe(1)
    await expect(server.askOutOfTheBlue('elicitation/create', { message: 'x' }, never)).rejects.toMatchObject({
      message: expect.stringContaining('AMBIGUOUS_ORIGIN'),
    })
    expect(pool.status()).toMatchObject({ connections: 1, unattributed: 1, protocolVersion: '2026-07-28' })
    await pool.stop()
  })
})
