import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createPostgresStore } from '../../src/store/create-postgres-store.ts'
import { createKeyRing } from '../../src/store/sealing/key-ring.ts'
import { sealStore } from '../../src/store/sealing/seal-store.ts'
import { caught } from '../config/caught.ts'
import { startPostgres, type TestPostgres } from './start-postgres.ts'
import { describeStore } from './store-contract.ts'

let server: TestPostgres
let url: string
beforeAll(async () => {
  server = await startPostgres()
}, 120_000)
afterAll(() => server?.[Symbol.asyncDispose]())
beforeEach(async () => {
  url = await server.database()
})

describeStore('PostgreSQL store', (clock) => createPostgresStore({ url, clock }))
describeStore(
  'sealed PostgreSQL store',
  async (clock) => sealStore(await createPostgresStore({ url, clock }), createKeyRing('1'.repeat(64))),
  { sealed: true },
)

const head = { status: 'running', principal: 'ada' }

async function edit(sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

describe('createPostgresStore', () => {
  it('R-GOV-20 keeps everything over a reopening, and two that open at once make one schema', async () => {
    const [first, second] = await Promise.all([createPostgresStore({ url }), createPostgresStore({ url })])
    await first.append('call/a', 0, [{ type: 'one' }], head, { kept: true })
    await second.append('call/b', 0, [{ type: 'two' }], head)
    await first[Symbol.asyncDispose]()
    await second[Symbol.asyncDispose]()
    await using again = await createPostgresStore({ url })
    expect(await again.working('call/a')).toEqual({ kept: true })
    expect(await again.chains()).toHaveLength(2)
    expect(await edit('SELECT version FROM rollcall_schema')).toEqual([{ version: 1 }])
  })

  it('R-GOV-20 lets exactly one of four processes win each of a thousand claims', async () => {
    const slots = 1_000
    const program = join(import.meta.dirname, 'claim-slots.ts')
    const processes = Array.from({ length: 4 }, (_, index) =>
      promisify(execFile)(process.execPath, [program, url, String(slots), `p${index}`]),
    )
    const wins = (await Promise.all(processes)).map(({ stdout }) => JSON.parse(stdout) as number[])
    expect(wins.flat().sort((one, other) => one - other)).toEqual(Array.from({ length: slots }, (_, slot) => slot))
  }, 120_000)

  it('R-GOV-21 runs on the schema of the next version, and refuses the one after that', async () => {
    await (await createPostgresStore({ url }))[Symbol.asyncDispose]()
    await edit('UPDATE rollcall_schema SET version = version + 1')
    await using next = await createPostgresStore({ url })
    expect(await next.append('call/a', 0, [{ type: 'one' }], head)).toBe('appended')
    await edit('UPDATE rollcall_schema SET version = version + 1')
    expect((await caught(() => createPostgresStore({ url }))).code).toBe('STORE_NEWER')
  })

  it('R-GOV-21 says nothing of the address when it can not be reached, and nothing of the password when it is wrong', async () => {
    const wrong = new URL(url)
    wrong.password = 'S3CRET-wrong'
    const gone = new URL(wrong)
    gone.port = '1'
    for (const address of [wrong.href, gone.href]) {
      const error = await caught(() => createPostgresStore({ url: address }))
      expect(error.code).toBe('STORE_UNAVAILABLE')
      expect(`${error.message} ${error.hint} ${String(error.cause)} ${error.stack}`).not.toMatch(
        /S3CRET|tester|127\.0\.0\.1/,
      )
    }
  })

  it('R-GOV-21 is used again when the server is back', async () => {
    await using store = await createPostgresStore({ url })
    await store.append('call/a', 0, [{ type: 'one' }], head)
    if (process.env.DATABASE_URL !== undefined) return
    await server.stop()
    expect((await caught(() => store.append('call/a', 1, [{ type: 'lost' }], head))).code).toBe('STORE_UNAVAILABLE')
    await server.start()
    expect(await store.append('call/a', 1, [{ type: 'two' }], head)).toBe('appended')
    expect((await Array.fromAsync(store.links(store.chain.id))).map(({ link }) => link)).toEqual([1, 2])
  }, 60_000)
})
