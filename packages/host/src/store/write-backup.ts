import { createHash } from 'node:crypto'
import type { Store } from './store.ts'

/** The form of a backup; one that a later program wrote in another form is refused. */
export const backupFormat = 1

/**
 * A store as lines of JSON: a heading, every row of the four tables as of one moment, and a last line that vouches
 * for those before it. It can be restored into every kind of store; what is sealed stays sealed.
 */
export async function* backupLines(store: Store, at: number): AsyncIterable<string> {
  const hash = createHash('sha256')
  let rows = 0
  const line = (value: object) => {
    const text = `${JSON.stringify(value)}\n`
    hash.update(text)
    return text
  }
  yield line({ rollcall: 'backup', format: backupFormat, at })
  for await (const row of store.rows.dump()) {
    rows += 1
    yield line(row)
  }
  yield `${JSON.stringify({ rows, digest: `sha256:${hash.digest('hex')}` })}\n`
}
