import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAudit } from '../../src/audit/read-audit.ts'
import { localUser } from '../../src/gate/local-user.ts'
import { systemClock } from '../../src/ports/system-clock.ts'
import { createPostgresStore } from '../../src/store/create-postgres-store.ts'
import { createSqliteStore } from '../../src/store/create-sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { writingTool } from '../plugins-in-code.ts'
import { startPostgres, type TestPostgres } from '../store/start-postgres.ts'
import { eventsOf, hostWith, waitingFor } from './host-with.ts'

let folder: string
let server: TestPostgres
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-together-'))
  server = await startPostgres()
}, 120_000)
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

let count = 0
const stores: Readonly<Record<string, () => Promise<{ readonly place: string; readonly store: Store }>>> = {
  async SQLite() {
    count += 1
    const place = join(folder, `${count}.db`)
    return { place, store: await createSqliteStore({ file: place }) }
  },
  async PostgreSQL() {
    const place = await server.database()
    return { place, store: await createPostgresStore({ url: place }) }
  },
}
const program = join(import.meta.dirname, 'decide-together.ts')
const run = (...words: readonly string[]) => promisify(execFile)(process.execPath, [program, ...words])
const linesIn = async (file: string) => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean)

describe.each(Object.entries(stores))('one call on %s that several processes decide', (name, open) => {
  it('R-GOV-03 is executed once by a thousand approvals at once, and each other one is told so', async () => {
    const { place, store } = await open()
    await using _ = store
    await using app = await hostWith([writingTool('write', [])], { store })
    const { ref } = await waitingFor(app.host, 'milk')
    const effects = join(folder, `${name}-effects`)
    const processes = await Promise.all(Array.from({ length: 4 }, () => run(place, effects, ref.callId, '250')))
    const told = processes.flatMap(({ stdout }) => JSON.parse(stdout) as { answered: string; status: string }[])
    expect(told).toHaveLength(1_000)
    expect(await linesIn(effects)).toHaveLength(1)
    expect(told.filter(({ answered }) => answered === 'ok')).toHaveLength(1)
    const refused = new Set(told.map(({ answered }) => answered).filter((answered) => answered !== 'ok'))
    // Which of them depends on whether the call had ended by then.
    expect(
      [...refused].filter((code) => !['APPROVAL_DECIDED', 'APPROVAL_NOT_FOUND', 'APPROVAL_STALE'].includes(code)),
    ).toEqual([])
    const types = (await eventsOf(store, ref)).map(({ type }) => type)
    for (const type of ['call.answered', 'call.started', 'call.ended'])
      expect(
        types.filter((one) => one === type),
        type,
      ).toHaveLength(1)
    expect(await app.host.tools.pending(localUser)).toEqual([])
  }, 120_000)

  it('R-GOV-09 leaves evidence when its process is killed in the middle, and is never executed again by itself', async () => {
    const { place, store } = await open()
    await using _ = store
    // A day later: nobody can be executing it any more.
    const clock = { ...systemClock, now: () => Date.now() + ahead }
    let ahead = 0
    await using app = await hostWith([writingTool('write', [])], { store, clock })
    const { ref } = await waitingFor(app.host, 'milk')
    const effects = join(folder, `${name}-killed`)
    await expect(run(place, effects, ref.callId, '1', 'yes')).rejects.toMatchObject({ signal: 'SIGKILL' })
    expect(await linesIn(effects)).toHaveLength(1)
    expect((await eventsOf(store, ref)).map(({ type }) => type).at(-1)).toBe('call.started')
    expect(await Array.fromAsync(readAudit(store, 0))).toMatchObject([{ tool: 'app__write', status: 'open' }])

    ahead = 23 * 60 * 60_000
    const [lost] = await app.host.tools.pending(localUser)
    expect(lost?.pending).toMatchObject({ kind: 'unknown', tool: 'app__write' })
    await run(place, effects, ref.callId, '1').catch(() => {})
    expect(await linesIn(effects)).toHaveLength(1)
    const binds = lost?.pending.binds ?? 'sha256:'
    expect(await app.host.tools.answer(ref, { kind: 'unknown', treatAs: 'abort', binds }, localUser)).toEqual({
      ok: true,
    })
    expect(await Array.fromAsync(readAudit(store, 0))).toMatchObject([{ status: 'unknown' }])
  }, 60_000)
})
