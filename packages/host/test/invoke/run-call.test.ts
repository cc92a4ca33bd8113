import { createSecretKey } from 'node:crypto'
import { silentLogger } from '@rollcall/plugin'
import { expect, it } from 'vitest'
import type { CatalogueEntry } from '../../src/catalogue/catalogue.ts'
import { localUser } from '../../src/gate/local-user.ts'
import { createPolicy } from '../../src/gate/policy.ts'
import { createGuardrails } from '../../src/guardrails/create-guardrails.ts'
import type { CallDeps } from '../../src/invoke/call-deps.ts'
import { digestArguments, openRecord } from '../../src/invoke/call-record.ts'
import { createGrantBook } from '../../src/invoke/grant-book.ts'
import { createKeptOutcomes } from '../../src/invoke/kept-outcomes.ts'
import { createProviderSlots } from '../../src/invoke/provider-slots.ts'
import { runCall } from '../../src/invoke/run-call.ts'
import { createTaintBook } from '../../src/invoke/taint-book.ts'
import { systemClock } from '../../src/ports/system-clock.ts'
import { createResultBook } from '../../src/results/result-book.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'

const key = createSecretKey(Buffer.alloc(32, 1))
const executed: unknown[] = []
const entry = {
  name: 'app__write',
  appId: 'app',
  kind: 'builtin',
  traits: { effect: 'write' },
  timeoutMs: 1_000,
  invoke: async (args: unknown) => {
    executed.push(args)
    return { content: [] }
  },
} as unknown as CatalogueEntry
const store = createMemoryStore()
const policy = createPolicy()
const deps: CallDeps = {
  store,
  clock: systemClock,
  logger: silentLogger,
  profiles: new Map(),
  policy,
  taints: createTaintBook({ settings: store.settings, clock: systemClock, policy }),
  kept: createKeptOutcomes({ store, clock: systemClock }),
  results: createResultBook({ store, clock: systemClock }),
  grants: createGrantBook({ settings: store.settings, clock: systemClock }),
  slots: createProviderSlots(),
  guardrails: createGuardrails({ clock: systemClock, onFinding() {} }),
  catalogue: () => ({ generation: 1, entries: new Map(), features: new Map(), providers: [], findings: [] }),
  isGone: () => false,
  digestKey: async () => key,
  notify() {},
  signal: new AbortController().signal,
  currentListener: () => undefined,
}
const run = (callId: string, args: string, gated: string) =>
  runCall(
    deps,
    openRecord(store, callId, 'p'),
    { length: 0, opening: [] },
    {
      entry,
      args,
      argsDigest: digestArguments(gated, key),
      profile: { name: 'direct', zone: 'local' },
      options: { principal: localUser },
      begun: 0,
      verdict: { verdict: 'allow', decidedBy: 'approval', votes: [] },
    },
  )

it('R-SEC-10 arguments that are not those of the journal are not executed', async () => {
  expect(await run('1', '{"amount":9}', '{"amount":1}')).toMatchObject({ status: 'failed', code: 'APPROVAL_STALE' })
  expect(executed).toEqual([])
  expect(await run('2', '{"amount":1}', '{"amount":1}')).toMatchObject({ status: 'ok' })
  expect(executed).toEqual([{ amount: 1 }])
})
