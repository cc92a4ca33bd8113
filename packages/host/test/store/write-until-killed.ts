// A process of its own: appends without end, and prints each length only after it was committed.
import { writeSync } from 'node:fs'
import { createSqliteStore } from '../../src/store/create-sqlite-store.ts'

const store = await createSqliteStore({ file: process.argv[2] ?? '' })
for (let length = 0; ; length += 1) {
  const working = { length: length + 1 }
  await store.append('run/killed', length, [{ type: 'written' }], { status: 'running', principal: 'ada' }, working)
  writeSync(1, `${length + 1}\n`)
}
