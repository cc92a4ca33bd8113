// A process of its own: claims slot after slot of one stream, and prints which ones it won.
import { createPostgresStore } from '../../src/store/create-postgres-store.ts'
import { createSqliteStore } from '../../src/store/create-sqlite-store.ts'

// A file of SQLite, or the address of a database.
const [place = '', slots = '0', owner = ''] = process.argv.slice(2)
await using store = place.startsWith('postgres:')
  ? await createPostgresStore({ url: place })
  : await createSqliteStore({ file: place })
const won: number[] = []
for (let slot = 0; slot < Number(slots); slot += 1) {
  const event = { type: 'slot.claimed', owner }
  const result = await store.append('run/contended', slot, [event], { status: 'running', principal: owner })
  if (result === 'appended') won.push(slot)
}
console.log(JSON.stringify(won))
