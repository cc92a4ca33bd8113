import { isRollcallError, RollcallError } from '@rollcall/plugin'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SessionTurns, type Turn } from '../../src/pool/session-turns.ts'

const never = new AbortController().signal

function turnsOf(most: number, options: { readonly waitMs?: number; readonly maxWaiting?: number } = {}) {
  let made = 0
  const add = () => {
    made += 1
    if (made > most) throw new RollcallError('BUSY', 'no more', { hint: '' })
    return { number: made }
  }
  return new SessionTurns({ name: 'x', waitMs: 30, maxWaiting: 3, ...options, add })
}

/** Notes when a turn is taken. */
function taker(turns: SessionTurns<{ number: number }>, order: string[]) {
  return async (session: string) => {
    const turn = await turns.take(session, never)
    order.push(`${session}${turn.instance.number}`)
    return turn
  }
}

describe('turns', () => {
  it('are shared by the calls of one session, and wait for the last of them', async () => {
    const turns = turnsOf(1, { waitMs: 60_000 })
    const order: string[] = []
    const take = taker(turns, order)
    const [first, second] = [await take('a'), await take('a')]
    const other = take('b')
    first.leave()
    first.leave()
    await Promise.resolve()
    expect(order).toEqual(['a1', 'a1'])
    second.leave()
    ;(await other).leave()
    expect(order).toEqual(['a1', 'a1', 'b1'])
  })

  it('go round: who has one gives it up to those who wait, and all calls of a session come in together', async () => {
    const turns = turnsOf(1, { waitMs: 60_000 })
    const order: string[] = []
    const take = taker(turns, order)
    const first = await take('a')
    const waiting = ['b', 'a', 'c', 'b'].map((session) => take(session).then((turn) => turn.leave()))
    first.leave()
    await Promise.all(waiting)
    expect(order).toEqual(['a1', 'b1', 'b1', 'a1', 'c1'])
  })

  it('are taken on another instance by who waits too long, and refused where there may be none', async () => {
    const turns = turnsOf(2)
    const order: string[] = []
    const take = taker(turns, order)
    await take('a')
    await take('b')
    expect(order).toEqual(['a1', 'b2'])
    await expect(take('c')).rejects.toMatchObject({ code: 'BUSY' })
  })

  it('use a free instance before they make another', async () => {
    const turns = turnsOf(2)
    const order: string[] = []
    const take = taker(turns, order)
    const first = await take('a')
    await take('b')
    first.leave()
    await take('c')
    expect(order).toEqual(['a1', 'b2', 'c1'])
  })

  it('are never taken by another session on an instance where something was abandoned, until it is started anew', async () => {
    const turns = turnsOf(2, { waitMs: 60_000 })
    const order: string[] = []
    const take = taker(turns, order)
    const first: Turn<{ number: number }> = await take('a')
    first.leave(true)
    ;(await take('b')).leave()
    ;(await take('a')).leave()
    expect(order).toEqual(['a1', 'b2', 'a1'])
    turns.renew(first.instance)
    const [c, d] = [await take('c'), await take('d')]
    expect(order.slice(3)).toEqual(['c1', 'd2'])
    c.leave()
    d.leave()
  })

  it('are not waited for by who leaves, nor by more calls than may wait', async () => {
    const turns = turnsOf(1, { waitMs: 60_000, maxWaiting: 2 })
    const first = await turns.take('a', never)
    const leaving = new AbortController()
    const left = turns.take('b', leaving.signal)
    const stays = turns.take('b', never)
    await expect(turns.take('b', never)).rejects.toMatchObject({ code: 'BUSY' })
    leaving.abort()
    await expect(left).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    await expect(turns.take('b', leaving.signal)).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    first.leave()
    ;(await stays).leave()
  })

  it('go on where an instance is taken away', async () => {
    const turns = turnsOf(2, { waitMs: 60_000 })
    const first = await turns.take('a', never)
    const other = turns.take('b', never)
    turns.remove(first.instance)
    expect((await other).instance.number).toBe(2)
    first.leave()
  })
})

describe('any order of taking turns', () => {
  it('gives an instance to one session at a time, and one with something abandoned to that session only', async () => {
    const step = fc.record({
      session: fc.constantFrom('a', 'b', 'c'),
      does: fc.constantFrom('take', 'leave', 'abandon', 'renew'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const turns = turnsOf(3, { waitMs: 60_000, maxWaiting: 60 })
        const stop = new AbortController()
        const held: { readonly session: string; readonly turn: Turn<{ number: number }> }[] = []
        const abandoned = new Map<{ number: number }, string>()
        const taken: Promise<unknown>[] = []
        const check = (session: string, turn: Turn<{ number: number }>) => {
          const others = held.filter((each) => each.turn.instance === turn.instance && each.session !== session)
          expect(others).toEqual([])
          expect(abandoned.get(turn.instance) ?? session).toBe(session)
          held.push({ session, turn })
        }
        for (const { session, does } of steps) {
          if (does === 'take') {
            const turn = turns.take(session, stop.signal)
            taken.push(turn.then((got) => check(session, got)).catch(expectRefusal))
          } else if (does === 'renew') {
            for (const instance of [...abandoned.keys()]) {
              abandoned.delete(instance)
              turns.renew(instance)
            }
          } else {
            const at = held.findIndex((each) => each.session === session)
            const [last] = at === -1 ? [] : held.splice(at, 1)
            if (last !== undefined && does === 'abandon') abandoned.set(last.turn.instance, session)
            last?.turn.leave(does === 'abandon')
          }
          await Promise.resolve()
          await Promise.resolve()
        }
        stop.abort()
        await Promise.all(taken)
      }),
      { numRuns: 200 },
    )
  })
})

function expectRefusal(error: unknown): void {
  expect(['BUSY', 'SERVER_UNAVAILABLE']).toContain(isRollcallError(error) ? error.code : error)
}
