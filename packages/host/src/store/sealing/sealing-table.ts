import type { StoreRow, StoreTable } from '../store-row.ts'

/** `hashed`: what is kept is the digest of a secret, or keyed by the store's own key. */
export type Sealing = 'sealed' | 'hashed' | 'plain'

type Columns<Table extends StoreTable> = Exclude<keyof Extract<StoreRow, { readonly table: Table }>, 'table'>

/** What of each column lies open in a database to which a key was given. Without a key all of it does. */
export const columnSealing: {
  readonly [Table in StoreTable]: Readonly<Record<Columns<Table>, Sealing | 'by prefix'>>
} = {
  // The journal says what was done, by whom and when, and never with what: arguments are keyed digests.
  events: {
    stream: 'plain',
    sequence: 'plain',
    at: 'plain',
    event: 'plain',
    chain: 'plain',
    link: 'plain',
    digest: 'plain',
  },
  heads: {
    stream: 'plain',
    length: 'plain',
    status: 'plain',
    principal: 'plain',
    dueAt: 'plain',
    parent: 'plain',
    key: 'plain',
    working: 'sealed',
  },
  settings: { key: 'plain', value: 'by prefix', version: 'plain' },
  blobs: { digest: 'hashed', stream: 'plain', principal: 'plain', type: 'plain', bytes: 'sealed' },
}

/** The rows of `settings` by the beginning of their key, up to its first slash. */
export const prefixSealing: Readonly<Record<string, Sealing>> = {
  accepted: 'plain',
  apikey: 'hashed',
  'apikey-use': 'plain',
  grant: 'hashed',
  key: 'sealed',
  notice: 'plain',
  outcome: 'plain',
  plugin: 'plain',
  repeat: 'hashed',
  result: 'plain',
  retention: 'plain',
  sealing: 'plain',
  sink: 'plain',
  'sink-state': 'plain',
  switch: 'plain',
  taint: 'plain',
}

/** What nobody has listed is sealed. */
export function sealingOf(key: string): Sealing {
  const [prefix = ''] = key.split('/', 1)
  return Object.hasOwn(prefixSealing, prefix) ? (prefixSealing[prefix] ?? 'sealed') : 'sealed'
}
