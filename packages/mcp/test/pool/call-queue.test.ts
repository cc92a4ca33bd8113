import { describe, expect, it } from 'vitest'
import { CallQueue } from '../../src/pool/call-queue.ts'

const never = new AbortController().signal

describe('CallQueue', () => {
  it('serves those who wait in turn by principal', async () => {
    const queue = new CallQueue('x', { inFlight: 1, waiting: 10 })
    const leave = await queue.enter('loud', never)
    const order: string[] = []
    const waiting = ['loud', 'loud', 'loud', 'quiet', 'shy'].map((id, index) =>
      queue.enter(id, never).then((leaveToo) => {
        order.push(`${id}${index}`)
        leaveToo()
      }),
    )
    leave()
    await Promise.all(waiting)
    expect(order).toEqual(['loud0', 'quiet3', 'shy4', 'loud1', 'loud2'])
  })

  it('gives a place back once only', async () => {
    const queue = new CallQueue('x', { inFlight: 1, waiting: 0 })
    const leave = await queue.enter('a', never)
    leave()
    leave()
    await queue.enter('a', never)
    await expect(queue.enter('a', never)).rejects.toMatchObject({ code: 'BUSY' })
  })

  it('takes no place for who has left', async () => {
    const queue = new CallQueue('x', { inFlight: 1, waiting: 1 })
    const leave = await queue.enter('a', never)
    const leaving = new AbortController()
    const left = queue.enter('b', leaving.signal)
    leaving.abort()
    await expect(left).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    const next = queue.enter('c', never)
    leave()
    await expect(next).resolves.toBeTypeOf('function')
  })
})
