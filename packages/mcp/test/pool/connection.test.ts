import { RollcallError } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import type { McpPeer } from '../../src/peer/mcp-peer.ts'
import { Connection, type Starter } from '../../src/pool/connection.ts'
import { RestartPolicy } from '../../src/pool/restart-policy.ts'
import { failureOf, until } from '../observe.ts'

function peer(onEnd: () => void, onClosed: McpPeer['onClosed'] = () => () => {}): McpPeer {
  return {
    era: 'session',
    protocolVersion: '2025-11-25',
    server: { name: 'x', version: '1', capabilities: {} },
    request: async () => ({ ok: true, result: {} }),
    notify() {},
    onNotification: () => () => {},
    onClosed,
    async [Symbol.asyncDispose]() {
      onEnd()
    },
  }
}

const nothingListed: Starter['list'] = async () => ({
  tools: new Map(),
  prompts: [],
  templates: [],
  resources: [],
  findings: [],
})

function starterOf(connect: Starter['connect']): Starter {
  return { connectTimeoutMs: 10_000, connect, list: nothingListed }
}

const gone = new RollcallError('SERVER_UNAVAILABLE', 'x left with exit code 3.', { hint: 'Look at it.' })
const nobody = () => new AbortController().signal

describe('a connection', () => {
  it('is stopped when it is idle, also where everybody left before it was ready', async () => {
    const ready = Promise.withResolvers<void>()
    let isEnded = false
    const starter = starterOf(async () => {
      await ready.promise
      return peer(() => {
        isEnded = true
      })
    })
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

describe('a connection to a server that fails', () => {
  /** A clock that stands still, in front of a server that never comes up. */
  function broken(failure: () => RollcallError = () => gone) {
    const clock = { now: Date.now() }
    const started: number[] = []
    const pending: PromiseWithResolvers<void>[] = []
    const restarts = new RestartPolicy(() => clock.now)
    const starter = starterOf(async () => {
      started.push(clock.now)
      await pending[0]?.promise
      throw failure()
    })
    const connection = new Connection('x', starter, { idleMs: 20, restarts })
    const call = () => connection.use(nobody(), async () => {})
    return { clock, started, pending, restarts, connection, call }
  }

  it('lets one call probe when the pause is over, and tells the others at once', async () => {
    const { clock, started, pending, restarts, connection, call } = broken()
    for (let failure = 0; failure < 5; failure += 1) restarts.failed()
    expect((await failureOf(call())).message).toContain('x failed 5 times in a row; the next try is in')
    expect(started).toEqual([])
    clock.now += 8_000
    pending.push(Promise.withResolvers())
    const probe = failureOf(call())
    expect((await failureOf(call())).message).toContain('it is being tried again now')
    pending[0]?.resolve()
    expect(await probe).toBe(gone)
    expect(started).toEqual([clock.now])
    const refused = await failureOf(call())
    expect(refused.message).toContain('failed 6 times in a row')
    expect(refused.cause).toBe(gone)
    expect(connection).toMatchObject({ state: 'failing', nextTryAt: clock.now + 16_000 })
    await connection.stop()
    expect(connection.nextTryAt).toBeUndefined()
  })

  it('asks again with every call why it may not be started, where that is not the doing of the server', async () => {
    const { started, connection, call } = broken(
      () => new RollcallError('SECRET_MISSING', 'TOKEN is not set.', { hint: 'Set it.' }),
    )
    for (let time = 0; time < 8; time += 1) expect((await failureOf(call())).code).toBe('SECRET_MISSING')
    expect(started).toHaveLength(8)
    await connection.stop()
  })

  it('ends a call that waits through a pause when it is stopped', async () => {
    const { started, restarts, connection, call } = broken()
    for (let failure = 0; failure < 3; failure += 1) restarts.failed()
    const waiting = failureOf(call())
    await connection.stop()
    expect((await waiting).message).toContain('stopped with its host')
    expect(started).toEqual([])
  })

  it('counts a loss, and neither being stopped for idling nor a session that was forgotten', async () => {
    const restarts = new RestartPolicy()
    let close: ((reason: RollcallError) => void) | undefined
    let ended = 0
    const starter = starterOf(async () =>
      peer(
        () => {
          ended += 1
        },
        (listener) => {
          close = listener
          return () => {}
        },
      ),
    )
    const connection = new Connection('x', starter, { idleMs: 20, restarts })
    await connection.use(nobody(), async () => {})
    await until(() => ended === 1)
    expect([connection.state, restarts.failuresInRow]).toEqual(['idle', 0])
    const forgotten = new RollcallError('SERVER_UNAVAILABLE', 'No such session.', {
      hint: 'Repeat it.',
      data: { sent: false, status: 404, sessionLost: true },
    })
    await failureOf(connection.use(nobody(), () => Promise.reject(forgotten)))
    expect([connection.state, restarts.failuresInRow]).toEqual(['failing', 0])
    await connection.use(nobody(), async () => close?.(gone))
    expect([connection.state, restarts.failuresInRow]).toEqual(['failing', 1])
    await connection.stop()
  })

  it('comes back by itself at the pace of the policy while somebody waits for it', async () => {
    let isWanted = true
    const started: number[] = []
    const starter = starterOf(async () => {
      started.push(performance.now())
      throw gone
    })
    const connection = new Connection('x', starter, { idleMs: 20, isWanted: () => isWanted })
    await failureOf(connection.use(nobody(), async () => {}))
    expect(connection.nextTryAt).toBeGreaterThan(Date.now())
    await until(() => started.length === 3)
    const [first = 0, second = 0, third = 0] = started
    expect(second - first).toBeGreaterThan(450)
    expect(third - second).toBeGreaterThan(950)
    isWanted = false
    await connection.stop()
  })
})
