import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type {
  createKeyRing as CreateKeyRing,
  createSqliteStore as CreateSqliteStore,
  sealStore as SealStore,
  Store,
} from '@rollcall/host'
import type { BuiltProject } from './built-project.ts'
import { type Figure, median } from './figure.ts'

const appends = 2_000
const rounds = 7
/** What is kept of a call that waits: its arguments and preview. */
const working = { tool: 'notes__add', args: JSON.stringify({ text: 'x'.repeat(400) }), preview: ['y'.repeat(100)] }

/** What it costs to seal the working copy of a call, beside the same store without a key. */
export async function measureSealing(project: BuiltProject): Promise<readonly Figure[]> {
  const built: {
    readonly createKeyRing: typeof CreateKeyRing
    readonly createSqliteStore: typeof CreateSqliteStore
    readonly sealStore: typeof SealStore
  } = await import(project.url('@rollcall/host'))
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-bench-'))
  try {
    await using plain = await built.createSqliteStore({ file: join(folder, 'plain.db') })
    const under = await built.createSqliteStore({ file: join(folder, 'sealed.db') })
    await using sealed = await built.sealStore(under, built.createKeyRing('5a'.repeat(32)))
    const rates: { readonly plain: number; readonly sealed: number }[] = []
    for (let round = 0; round <= rounds; round += 1)
      rates.push({ plain: await microseconds(plain, round), sealed: await microseconds(sealed, round) })
    const of = (key: 'plain' | 'sealed') => median(rates.slice(1).map((rate) => rate[key]))
    return [
      {
        name: 'sealing: append with a working copy of 600 bytes, read back, SQLite',
        median: `${of('sealed').toFixed(0)} µs`,
        beside: `without a key: ${of('plain').toFixed(0)} µs; ratio ${(of('sealed') / of('plain')).toFixed(2)}`,
        runs: rounds,
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function microseconds(store: Store, round: number): Promise<number> {
  const began = performance.now()
  for (let at = 0; at < appends; at += 1) {
    const stream = `call/${round}-${at}` as const
    await store.append(stream, 0, [{ type: 'asked' }], { status: 'waiting', principal: 'ada' }, working)
    await store.working(stream)
  }
  return ((performance.now() - began) * 1000) / appends
}
