import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pruneAudit } from '../../src/audit/prune-audit.ts'
import { verifyAudit } from '../../src/audit/verify-audit.ts'
import { linkDigest } from '../../src/store/chain-writer.ts'
import { createSqliteStore } from '../../src/store/create-sqlite-store.ts'
import { asLocal, hostWith } from '../invoke/host-with.ts'
import { readingTool, writingTool } from '../plugins-in-code.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-audit-'))
  file = join(folder, 'rollcall.db')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** One process that makes calls and ends: three events a call, and a checkpoint at the end. */
async function work(calls: number): Promise<void> {
  await using store = await createSqliteStore({ file })
  await using app = await hostWith([readingTool('look'), writingTool('write', [])], { store, auditKey: privateKey })
  for (let call = 0; call < calls; call++) await app.host.tools.call('app__look', { text: `${call}` }, asLocal)
}

async function verify(key = publicKey) {
  await using store = await createSqliteStore({ file })
  return await verifyAudit(store, key)
}

/** Changes the file behind the program's back. */
function edit<T>(change: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file)
  try {
    return change(database)
  } finally {
    database.close()
  }
}

type Row = { chain: string; link: number; stream: string; sequence: number; at: number; event: string; digest: string }
const rows = () =>
  edit((database) => database.prepare('SELECT * FROM events ORDER BY chain, link').all() as unknown as Row[])

/** Reckons all digests of a chain anew, as somebody would who knows how they are made. */
function reckonAnew(): void {
  const all = rows()
  edit((database) => {
    const update = database.prepare('UPDATE events SET digest = ? WHERE stream = ? AND sequence = ?')
    const last = new Map<string, string>()
    for (const row of all) {
      const previous = (last.get(row.chain) ?? '') as `sha256:${string}` | ''
      const digest = linkDigest({ ...row, stream: row.stream as `call/${string}`, text: row.event, previous })
      last.set(row.chain, digest)
      update.run(digest, row.stream, row.sequence)
    }
  })
}

const target = () => rows().find(({ event }) => event.includes('"call.ended"')) as Row

describe('the audit', () => {
  it('R-SEC-22 R-GOV-60 R-GOV-62 of several processes on one store is found as it was written, with the public part of the key', async () => {
    await work(3)
    await work(2)
    const report = await verify(createPublicKey(privateKey))
    expect(report).toMatchObject({ chains: 2, breaks: [], unchained: 0, checkpoints: 2 })
    // The last checkpoint of each chain vouches for all before it, and for itself nobody.
    expect(report.uncovered).toBe(2)
  })

  it.each<[string, () => void]>([
    [
      'was changed',
      () =>
        edit((db) =>
          db
            .prepare(
              'UPDATE events SET event = replace(event, \'"ok"\', \'"denied"\') WHERE stream = ? AND sequence = ?',
            )
            .run(target().stream, target().sequence),
        ),
    ],
    [
      'was removed',
      () =>
        edit((db) =>
          db.prepare('DELETE FROM events WHERE stream = ? AND sequence = ?').run(target().stream, target().sequence),
        ),
    ],
    [
      'was put in',
      () =>
        edit((db) =>
          db
            .prepare(
              "INSERT INTO events (stream, sequence, at, event, chain, link, digest) VALUES ('call/x', 1, 1, '{}', ?, ?, 'sha256:0')",
            )
            .run(target().chain, target().link),
        ),
    ],
    [
      'got another time',
      () =>
        edit((db) =>
          db
            .prepare('UPDATE events SET at = at - 1000 WHERE stream = ? AND sequence = ?')
            .run(target().stream, target().sequence),
        ),
    ],
  ])('R-SEC-22 R-GOV-62 finds a row that %s, and says where', async (_, tamper) => {
    await work(4)
    const { chain, link } = target()
    tamper()
    const [first] = (await verify()).breaks
    expect(first?.chain).toBe(chain)
    expect(Math.abs((first?.link ?? 0) - link)).toBeLessThanOrEqual(1)
  })

  it('R-SEC-22 R-GOV-62 finds a changed row after which everything was reckoned anew', async () => {
    await work(4)
    const { stream, sequence } = target()
    edit((db) =>
      db
        .prepare('UPDATE events SET event = replace(event, \'"ok"\', \'"denied"\') WHERE stream = ? AND sequence = ?')
        .run(stream, sequence),
    )
    reckonAnew()
    expect((await verify()).breaks).toMatchObject([{ what: expect.stringContaining('reckoned anew') }])
  })

  it('R-SEC-22 R-GOV-62 finds a forged checkpoint, one of another key, and a chain that is gone', async () => {
    await work(2)
    const [{ chain } = { chain: '' }] = rows()
    await work(2)
    const other = generateKeyPairSync('ed25519').publicKey
    expect((await verify(other)).breaks[0]?.what).toContain('signed with another key')
    edit((db) => db.prepare('DELETE FROM events WHERE chain = ?').run(chain))
    expect((await verify()).breaks).toMatchObject([{ chain, what: expect.stringContaining('another writer saw') }])
    edit((db) =>
      db
        .prepare("UPDATE events SET event = replace(event, '\"link\":', '\"link\": ') WHERE stream LIKE 'audit/%'")
        .run(),
    )
    reckonAnew()
    edit((db) =>
      db
        .prepare(
          'UPDATE events SET event = replace(event, \'"others":[\', \'"others":[{"chain":"x","upTo":1},\') WHERE stream LIKE \'audit/%\'',
        )
        .run(),
    )
    reckonAnew()
    expect((await verify()).breaks.map(({ what }) => what)).toContain('a signature that is none')
  })

  it('R-SEC-22 R-GOV-61 is cut after a time and checks as before; what is not over stays, and what comes back is noticed', async () => {
    await work(3)
    const old = rows()
    await new Promise((resolve) => setTimeout(resolve, 20))
    const cut = Date.now()
    await work(2)
    {
      await using store = await createSqliteStore({ file })
      await store.append('call/waiting', 0, [{ type: 'call.asked' }], { status: 'waiting', principal: 'jo' })
      expect(await pruneAudit(store, privateKey, cut)).toBe(old.length)
      expect(await pruneAudit(store, privateKey, Date.now() + 1)).toBeGreaterThan(0)
      expect(await store.head('call/waiting')).toBeDefined()
    }
    expect(await verify()).toMatchObject({ breaks: [] })
    const [back] = old as [Row]
    edit((db) =>
      db
        .prepare('INSERT INTO events (stream, sequence, at, event, chain, link, digest) VALUES (?, ?, ?, ?, ?, ?, ?)')
        .run(back.stream, back.sequence, back.at, back.event, back.chain, back.link, back.digest),
    )
    expect((await verify()).breaks[0]?.what).toContain('there again')
  })
})
