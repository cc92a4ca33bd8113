import { describe, expect, it } from 'vitest'
import type { McpPeer } from '../../src/peer/mcp-peer.ts'
import { Connection } from '../../src/pool/connection.ts'
import { failureOf, until } from '../observe.ts'

function peer(onEnd: () => void): McpPeer {
  return {
    era: 'session',
    protocolVersion: '2025-11-25',
    server: { name: 'x', version: '1', capabilities: {} },
    request: async () => ({ ok: true, result: {} }),
    notify() {},
    onNotification: () => () => {},
    onClosed: () => () => {},
    async [Symbol.asyncDispose]() {
      onEnd()
    },
  }
}

describe('a connection', () => {
  it('is stopped when it is idle, also where everybody left before it was ready', async () => {
    const ready = Promise.withResolvers<void>()
    let isEnded = false
    const starter = {
      connectTimeoutMs: 10_000,
      connect: async () => {
        await ready.promise
        return peer(() => {
          isEnded = true
        })
      },
      list: async () => ({ tools: new Map(), prompts: [], templates: [], resources: [], findings: [] }),
    }
    const connection = new Connection('x', starter, { idleMs: 20 })
    const leave = new AbortController()
    const use = failureOf(connection.use(leave.signal, async () => {}))
    leave.abort()
    expect((await use).code).toBe('SERVER_UNAVAILABLE')
    ready.resolve()
    await until(() => isEnded, 2_000)
    expect(connection.state).toBe('idle')
    await connection.stop()
  })
})
