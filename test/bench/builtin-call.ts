import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type {
  createHost as CreateHost,
  createMemoryStore as CreateMemoryStore,
  createPostgresStore as CreatePostgresStore,
  createSqliteStore as CreateSqliteStore,
  localUser as LocalUser,
  Store,
} from '@rollcall/host'
import { definePlugin, defineTool, type Plugin, RegisterToolProvidersEvent, Type } from '@rollcall/plugin'
import { Compile } from 'typebox/schema'
import { startPostgres } from '../../packages/host/test/store/start-postgres.ts'
import type { BuiltProject } from './built-project.ts'
import { type Figure, median } from './figure.ts'

const calls = 5_000
const rounds = 5

/** A builtin call in process with gate and record, beside the same validation and function called bare. */
export async function measureBuiltinCall(project: BuiltProject): Promise<readonly Figure[]> {
  const built: {
    createHost: typeof CreateHost
    createMemoryStore: typeof CreateMemoryStore
    createPostgresStore: typeof CreatePostgresStore
    createSqliteStore: typeof CreateSqliteStore
    localUser: typeof LocalUser
  } = await import(project.url('@rollcall/host'))
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-bench-'))
  const input = Type.Object({ city: Type.String() })
  const execute = ({ city }: { city: string }) => `Sunny in ${city}`
  const tool = defineTool({
    name: 'forecast',
    description: 'Forecast.',
    input,
    effect: 'read',
    dataClass: 'publicContent',
    execute,
  })
  const plugin = definePlugin({
    setup: ({ on }) =>
      void on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: [tool] })),
  })
  const validator = Compile(input)
  const bare = async () => {
    const args: unknown = { city: 'Oslo' }
    if (!validator.Check(args)) throw new TypeError('not valid')
    return execute(args)
  }
  const figures: Figure[] = []
  await using postgres = await startPostgres()
  const url = await postgres.database()
  try {
    const stores: readonly (readonly [string, () => Promise<Store>])[] = [
      ['memory store', async () => built.createMemoryStore()],
      ['SQLite store', () => built.createSqliteStore({ file: join(folder, 'bench.db') })],
      ['PostgreSQL store on this machine', () => built.createPostgresStore({ url })],
    ]
    for (const [name, open] of stores) {
      const store = await open()
      const host = await built.createHost({ plugins: [{ appId: 'weather', plugin }], store })
      const governed = () => host.tools.call('weather__forecast', { city: 'Oslo' }, { principal: built.localUser })
      const ours: number[] = []
      const theirs: number[] = []
      for (let round = 0; round <= rounds; round++) {
        const mine = await p50(governed)
        const other = await p50(bare)
        if (round === 0) continue
        ours.push(mine)
        theirs.push(other)
      }
      await host[Symbol.asyncDispose]()
      if (name === 'memory store') figures.push(await measurePersonalData(built, plugin, store))
      await store[Symbol.asyncDispose]()
      figures.push({
        name: `builtin call with gate and record, ${name}, p50`,
        median: `${(median(ours) * 1000).toFixed(0)} µs`,
        beside: `validation and function called bare: ${(median(theirs) * 1000).toFixed(1)} µs; ratio ${(median(ours) / median(theirs)).toFixed(0)}`,
        runs: rounds,
      })
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return figures
}

/** The same call with and without the guardrail for personal data; redaction of secrets runs in both. */
async function measurePersonalData(
  built: { readonly createHost: typeof CreateHost; readonly localUser: typeof LocalUser },
  plugin: Plugin,
  store: Store,
): Promise<Figure> {
  const plugins = [{ appId: 'weather', plugin }]
  const plain = await built.createHost({ plugins, store })
  const guarded = await built.createHost({ plugins, store, guardrails: { use: ['pii'] } })
  const callOf = (host: typeof plain) => () =>
    host.tools.call('weather__forecast', { city: 'Oslo' }, { principal: built.localUser })
  const without: number[] = []
  const withIt: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const one = await p50(callOf(plain))
    const other = await p50(callOf(guarded))
    if (round === 0) continue
    without.push(one)
    withIt.push(other)
  }
  await plain[Symbol.asyncDispose]()
  await guarded[Symbol.asyncDispose]()
  return {
    name: 'builtin call with the guardrail pii, memory store, p50',
    median: `${(median(withIt) * 1000).toFixed(0)} µs`,
    beside: `without it ${(median(without) * 1000).toFixed(0)} µs; ratio ${(median(withIt) / median(without)).toFixed(2)}`,
    runs: rounds,
  }
}

async function p50(call: () => Promise<unknown>): Promise<number> {
  const times = new Float64Array(calls)
  for (let index = 0; index < calls; index++) {
    const began = performance.now()
    await call()
    times[index] = performance.now() - began
  }
  return median([...times])
}
