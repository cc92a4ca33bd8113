import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin, defineTool, RegisterToolProvidersEvent, Type } from '@rollcall/plugin'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHost } from '../../../src/create-host.ts'
import { localClient, localUser } from '../../../src/gate/local-user.ts'
import type { Host } from '../../../src/host-types.ts'
import { createPostgresStore } from '../../../src/store/create-postgres-store.ts'
import { createSqliteStore } from '../../../src/store/create-sqlite-store.ts'
import { createKeyRing } from '../../../src/store/sealing/key-ring.ts'
import { sealStore } from '../../../src/store/sealing/seal-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { startPostgres, type TestPostgres } from '../start-postgres.ts'

const canaries = {
  argument: 'canary-argument-51c7',
  preview: 'canary-preview-0e92',
  result: 'canary-result-7d3b',
  outcome: 'canary-outcome-a64f',
  error: 'canary-error-c0de',
  note: 'canary-note-1f2e',
} as const

const vault = definePlugin({
  setup({ on }) {
    const text = Type.Object({ text: Type.String() })
    const common = { input: text, dataClass: 'publicContent' } as const
    const tools = [
      defineTool({
        ...common,
        name: 'write',
        description: 'Writes.',
        effect: 'write',
        preview: ({ text }) => [`${canaries.preview} ${text}`],
        execute: ({ text }) => `${canaries.outcome} ${text}`,
      }),
      defineTool({
        ...common,
        name: 'read',
        description: 'Reads a lot.',
        effect: 'read',
        execute: ({ text }) => `${canaries.result} ${text}\n`.repeat(200),
      }),
      defineTool({
        ...common,
        name: 'fail',
        description: 'Fails.',
        effect: 'read',
        execute: ({ text }) => {
          throw new Error(`${canaries.error} ${text}`)
        },
      }),
    ]
    on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools }))
  },
})

/** Every way in which a store keeps something of a call: what waits, what is kept whole, what came of it. */
async function use(store: Store): Promise<void> {
  await using host = await createHost({
    store,
    plugins: [{ appId: 'vault', plugin: vault }],
    profiles: [{ name: 'default', zone: 'local' }],
  })
  await host.switches.enable({ kind: 'tool', name: 'vault__write' }, 'test')
  const client = { session: 's', name: 'tester' }
  const who = { principal: localClient, profile: 'default', client, resultBytes: 100 }
  const args = { text: canaries.argument }
  await host.tools.call('vault__read', args, who)
  await host.tools.call('vault__fail', args, who)
  await decide(host, 'vault__write', args, who, true)
  await decide(host, 'vault__write', { text: `${canaries.argument} two` }, who, false)
  // These are left waiting.
  await host.tools.call('vault__write', { text: `${canaries.argument} three` }, who)
  await host.tools.call('vault__write', { text: `${canaries.argument} four` }, { principal: localUser })
}

async function decide(
  host: Host,
  tool: string,
  args: object,
  who: Parameters<Host['tools']['call']>[2],
  approved: boolean,
): Promise<void> {
  const outcome = await host.tools.call(tool, args, who)
  if (outcome.status !== 'waiting') throw new TypeError(`not waiting but ${outcome.status}`)
  const { pending } = outcome
  await host.tools.answer(pending, { kind: 'approval', approved, binds: pending.binds }, localUser)
  await host.tools.wait(pending, { ...who, timeoutMs: 5_000 })
}

/** Each canary as it may lie somewhere: plain, in two-byte letters, in hexadecimal, in base64 at any of its three offsets. */
function formsOf(canary: string): readonly string[] {
  const base64 = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), Buffer.from(canary)])
      .toString('base64')
      .slice(4, -4),
  )
  return [canary, Buffer.from(canary, 'utf16le').toString('latin1'), Buffer.from(canary).toString('hex'), ...base64]
}

function expectNone(places: readonly (readonly [name: string, bytes: string])[]): void {
  for (const [place, bytes] of places)
    for (const [kind, canary] of Object.entries(canaries))
      for (const form of formsOf(canary)) expect(bytes.includes(form), `${kind} in ${place}`).toBe(false)
}

function found(places: readonly (readonly [name: string, bytes: string])[]): readonly string[] {
  const all = places.map(([, bytes]) => bytes).join('\n')
  return Object.entries(canaries).flatMap(([kind, canary]) =>
    formsOf(canary).some((form) => all.includes(form)) ? [kind] : [],
  )
}

const ring = createKeyRing('a5'.repeat(32))

describe('what a store keeps of calls, in its files', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rollcall-canaries-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const filesIn = async (name: string) =>
    Promise.all(
      (await readdir(join(folder, name))).map(
        async (file) => [file, await readFile(join(folder, name, file), 'latin1')] as const,
      ),
    )

  it('R-SEC-23 shows no canary with a key, in the file, its log and its index', async () => {
    await using store = await sealStore(await createSqliteStore({ file: join(folder, 'sealed', 'a.db') }), ring)
    await use(store)
    const files = await filesIn('sealed')
    expect(files.map(([name]) => name).toSorted()).toEqual(['a.db', 'a.db-shm', 'a.db-wal'])
    expectNone(files)
    // They are there for whoever has the key.
    expect(await store.heads({ kind: 'call', status: 'waiting' })).toHaveLength(2)
  })

  it('R-SEC-23 would be found without a key: the search is no blind one', async () => {
    await using store = await createSqliteStore({ file: join(folder, 'plain', 'a.db') })
    await use(store)
    expect(found(await filesIn('plain'))).toEqual(expect.arrayContaining(['argument', 'preview', 'result', 'outcome']))
  })
})

describe('what a store keeps of calls, in PostgreSQL', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  }, 120_000)
  afterAll(() => server?.[Symbol.asyncDispose]())

  const dump = async (url: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const tables = ['events', 'heads', 'settings', 'blobs'] as const
    const dumped: (readonly [table: string, cells: string])[] = []
    for (const table of tables) {
      const { rows } = await client.query(`SELECT * FROM ${table}`)
      const cells = rows.flatMap((row: object) => Object.values(row))
      dumped.push([
        table,
        cells.map((cell) => (Buffer.isBuffer(cell) ? cell.toString('latin1') : String(cell))).join('\n'),
      ])
    }
    await client.end()
    return dumped
  }

  it('R-SEC-23 shows no canary with a key, in any table', async () => {
    const url = await server.database()
    await using store = await sealStore(await createPostgresStore({ url }), ring)
    await use(store)
    expectNone(await dump(url))
  })

  it('R-SEC-23 would be found there without one', async () => {
    const url = await server.database()
    await using store = await createPostgresStore({ url })
    await use(store)
    expect(found(await dump(url))).toEqual(expect.arrayContaining(['argument', 'preview', 'result', 'outcome']))
  })
})
