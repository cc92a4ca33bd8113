import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { localUser } from '../../src/gate/local-user.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { createSqliteStore } from '../../src/store/create-sqlite-store.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { writingTool } from '../plugins-in-code.ts'
import { asLocal, eventsOf, hostWith, waitingFor } from './host-with.ts'

const expiresMs = 10_000
const profiles = [{ name: 'direct', zone: 'local', approvals: { expiresMs } }] as const
const moves = ['approve', 'deny', 'resume', 'wait', 'cancel', 'list', 'poll', 'expire'] as const
type Step = { readonly move: (typeof moves)[number]; readonly host: 0 | 1; readonly awaits: boolean }

const step: fc.Arbitrary<Step> = fc.record({
  move: fc.constantFrom(...moves),
  host: fc.constantFrom(0, 1),
  awaits: fc.boolean(),
})

/** Two ways to one store, as two processes have them. */
const stores = {
  async memory(clock: Clock) {
    const store = createMemoryStore({ clock })
    return { stores: [store, store], close: () => store[Symbol.asyncDispose]() } as const
  },
  async sqlite(clock: Clock) {
    const folder = await mkdtemp(join(tmpdir(), 'rollcall-interleavings-'))
    const file = join(folder, 'store.sqlite')
    const both = [await createSqliteStore({ file, clock }), await createSqliteStore({ file, clock })] as const
    const close = async () => {
      for (const store of both) await store[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    }
    return { stores: both, close }
  },
} as const

it.each([
  ['memory', 150],
  ['sqlite', 20],
] as const)(
  'R-GOV-03 in a %s store, whatever two hosts do to one call in whatever order, it is executed at most once and ends exactly once',
  async (kind, numRuns) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const clock = createManualClock()
        const shared = await stores[kind](clock)
        const [store, other] = shared.stores
        const log: string[] = []
        const apps = [
          await hostWith([writingTool('write', log)], { store, clock, profiles }),
          await hostWith([writingTool('write', log)], { store: other, clock, profiles }),
        ] as const
        const { ref, pending } = await waitingFor(apps[0].host, 'milk')
        const cancels: AbortController[] = []
        const begun: Promise<unknown>[] = []
        const say = (approved: boolean) => ({ kind: 'approval', binds: pending.binds, approved }) as const
        for (const { move, host, awaits } of steps) {
          const { tools } = apps[host].host
          const act = () => {
            const cancel = new AbortController()
            switch (move) {
              case 'approve':
                return tools.answer(ref, say(true), localUser)
              case 'deny':
                return tools.answer(ref, say(false), localUser)
              case 'resume':
                return tools.resume(ref, asLocal)
              case 'wait':
                cancels.push(cancel)
                return tools.wait(ref, { ...asLocal, timeoutMs: 1_000, signal: cancel.signal })
              case 'cancel':
                return cancels.pop()?.abort()
              case 'list':
                return tools.pending(localUser)
              case 'poll':
                return clock.advance(60)
              default:
                return clock.advance(expiresMs)
            }
          }
          const acted = Promise.resolve(act())
          begun.push(acted)
          if (awaits && move !== 'wait') await acted
        }
        await clock.advance(2_000)
        await Promise.all(begun)
        // Whoever comes last finds the call over, or brings it to its end.
        await clock.advance(expiresMs)
        await apps[1].host.tools.pending(localUser)
        await apps[1].host.tools.resume(ref, asLocal)

        const events = (await eventsOf(store, ref)).map(({ type }) => type)
        expect(log.length).toBeLessThanOrEqual(1)
        const started = events.filter((type) => type === 'call.started').length
        expect(started).toBeLessThanOrEqual(1)
        expect(log.length).toBeLessThanOrEqual(started)
        expect(events.filter((type) => type === 'call.ended')).toHaveLength(1)
        expect(events.at(-1)).toBe('call.ended')
        const head = await store.head(ref.stream)
        const end = (await eventsOf(store, ref)).at(-1)
        // Claimed and cancelled in one moment it was never handed to its tool; whatever is called cancelled did not happen.
        if (log.length < started) expect(end).toMatchObject({ status: 'cancelled' })
        if (head?.status === 'cancelled') expect(log).toEqual([])
        expect(head?.status).toBe(end?.type === 'call.ended' ? end.status : 'no end')
        expect(await store.working(ref.stream)).toBeUndefined()
        await Promise.all(apps.map((app) => app.host[Symbol.asyncDispose]()))
        await shared.close()
      }),
      { numRuns },
    )
  },
)
