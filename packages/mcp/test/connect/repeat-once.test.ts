import { RollcallError } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { type Attempt, repeatOnce, type TimeLimits } from '../../src/connect/repeat-once.ts'
import { failureOf } from '../observe.ts'

const safe = { isSafe: true, maxTotalTimeoutMs: 60_000 }

function unavailable(data?: RollcallError['data']): RollcallError {
  return new RollcallError('SERVER_UNAVAILABLE', 'x is gone.', { hint: 'Look.', ...(data !== undefined && { data }) })
}

/** As a request ends that was sent. */
function unknownEnd(cause: RollcallError): RollcallError {
  return new RollcallError('TOOL_OUTCOME_UNKNOWN', 'The end is not known.', { hint: 'Look.', cause })
}

const left = unknownEnd(unavailable({ exitCode: 9, stderrTail: '', sent: true }))

/** Attempts that are sent and fail with these errors in turn, and then succeed. */
function failing(...errors: readonly RollcallError[]) {
  const limits: TimeLimits[] = []
  return {
    limits,
    async attempt({ begin }: Attempt) {
      limits.push(begin())
      const error = errors[limits.length - 1]
      if (error !== undefined) throw error
      return 'done'
    },
  }
}

function callWith(signal = new AbortController().signal) {
  return { signal, timeoutMs: 20_000 }
}

describe('a safe request', () => {
  it.each([
    ['its server left', left],
    ['its server was ended by a signal', unknownEnd(unavailable({ stderrTail: 'x', sent: true }))],
    ['its server had just left when it was written', unavailable()],
    ['its session was forgotten', unavailable({ sent: false, status: 404, sessionLost: true })],
  ])('is made once more when %s', async (_what, error) => {
    const { attempt, limits } = failing(error)
    expect(await repeatOnce(callWith(), safe, attempt)).toBe('done')
    expect(limits[0]).toEqual({ timeoutMs: 20_000, maxTotalTimeoutMs: 60_000 })
    expect(limits[1]?.timeoutMs).toBeLessThan(20_000)
    expect(limits[1]?.maxTotalTimeoutMs).toBeLessThan(60_000)
  })

  it.each([
    ['its answer was cut off', unknownEnd(unavailable({ sent: true }))],
    ['its time was over', unknownEnd(new RollcallError('SERVER_TIMEOUT', 'Too slow.', { hint: 'Wait.' }))],
    ['it was cancelled', unknownEnd(unavailable({ sent: true, cancelled: true }))],
    ['its answer was none', new RollcallError('SERVER_PROTOCOL', 'Too much.', { hint: 'Ask for less.' })],
    ['its server was busy', unavailable({ sent: false, status: 429 })],
    ['its server had a fault', unknownEnd(unavailable({ sent: true, status: 503 }))],
    ['its credentials were refused', unavailable({ sent: false, status: 401 })],
  ])('is not made again when %s', async (_what, error) => {
    const { attempt, limits } = failing(error)
    expect(await failureOf(repeatOnce(callWith(), safe, attempt))).toBe(error)
    expect(limits).toHaveLength(1)
  })

  it('is not made a third time, and ends as it ended last', async () => {
    const last = unknownEnd(unavailable({ exitCode: 10, stderrTail: '' }))
    const { attempt, limits } = failing(left, last)
    expect(await failureOf(repeatOnce(callWith(), safe, attempt))).toBe(last)
    expect(limits).toHaveLength(2)
  })

  it('is not made again for a server that did not even come up for it', async () => {
    let attempts = 0
    const starting = repeatOnce(callWith(), safe, async () => {
      attempts += 1
      throw unavailable({ exitCode: 3, stderrTail: '' })
    })
    expect((await failureOf(starting)).data).toMatchObject({ exitCode: 3 })
    expect(attempts).toBe(1)
  })

  it('is not made again for a caller who has left', async () => {
    const { attempt, limits } = failing(left)
    const cancel = new AbortController()
    const attempted = repeatOnce(callWith(cancel.signal), safe, (each) => {
      cancel.abort()
      return attempt(each)
    })
    expect(await failureOf(attempted)).toBe(left)
    expect(limits).toHaveLength(1)
  })

  it('ends as it ended at first when its time is over before the server is back', async () => {
    let attempts = 0
    const attempted = repeatOnce({ ...callWith(), timeoutMs: 200 }, safe, async ({ begin, signal }) => {
      attempts += 1
      if (attempts === 1) {
        begin()
        throw left
      }
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(unavailable({ cancelled: true })))
      })
    })
    expect(await failureOf(attempted)).toBe(left)
    expect(attempts).toBe(2)
  })
})

it('a request that is not safe is never made again', async () => {
  const { attempt, limits } = failing(left)
  expect(await failureOf(repeatOnce(callWith(), { ...safe, isSafe: false }, attempt))).toBe(left)
  expect(limits).toHaveLength(1)
})
