import type { Json } from '@rollcall/plugin'
import { beforeEach, describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/store/create-memory-store.ts'
import { isSealedStore } from '../../../src/store/sealing/enroll-keys.ts'
import { createKeyRing } from '../../../src/store/sealing/key-ring.ts'
import { resealStore } from '../../../src/store/sealing/reseal-store.ts'
import { sealStore } from '../../../src/store/sealing/seal-store.ts'
import type { Store } from '../../../src/store/store.ts'
import type { StoreRow } from '../../../src/store/store-row.ts'

const one = '1'.repeat(64)
const two = Buffer.alloc(32, 2).toString('base64')
const head = { status: 'waiting', principal: 'ada' }
const owner = { stream: 'call/a', principal: 'ada' } as const
const canary = 'canary-8f3a'
const about = { args: canary }

let bare: Store
beforeEach(() => {
  bare = createMemoryStore()
})

const rowsOf = (store: Store) => Array.fromAsync(store.rows.dump())
const texts = async (store: Store) =>
  (await rowsOf(store)).map((row) => JSON.stringify(row) + ('bytes' in row ? Buffer.from(row.bytes, 'base64') : ''))

async function fill(store: Store): Promise<`sha256:${string}`> {
  await store.append('call/a', 0, [{ type: 'asked' }], head, about)
  await store.settings.set('key/x', canary)
  await store.settings.set('unlisted/x', { deep: [canary] })
  return await store.blobs.put(Buffer.from(canary), 'text/plain', owner)
}

async function expectFilled(store: Store, digest: `sha256:${string}`): Promise<void> {
  expect(await store.working('call/a')).toEqual(about)
  expect((await store.settings.get('key/x'))?.value).toBe(canary)
  expect(await store.settings.list('unlisted/')).toEqual([['unlisted/x', { deep: [canary] }]])
  expect(Buffer.from((await store.blobs.get(digest, owner)) ?? []).toString()).toBe(canary)
}

type Row<Table extends StoreRow['table']> = Extract<StoreRow, { readonly table: Table }>
async function rowOf<Table extends StoreRow['table']>(table: Table, isIt: (row: Row<Table>) => boolean) {
  const found = (await rowsOf(bare)).find((row): row is Row<Table> => row.table === table && isIt(row as Row<Table>))
  if (found === undefined) throw new TypeError(`no such row of ${table}`)
  return found
}

describe('a sealed store', () => {
  it('R-SEC-23 holds nothing of what was given to it in clear', async () => {
    const store = await sealStore(bare, createKeyRing(one))
    await expectFilled(store, await fill(store))
    const lying = await texts(bare)
    expect(lying.length).toBeGreaterThan(5)
    for (const text of lying) {
      expect(text).not.toContain(canary)
      expect(text).not.toContain(Buffer.from(canary).toString('base64').slice(0, 12))
    }
  })

  it('R-GOV-24 opens with none but its key, and nothing is read, written or changed without it', async () => {
    const digest = await fill(await sealStore(bare, createKeyRing(one)))
    expect(await isSealedStore(bare)).toBe(true)
    const before = await texts(bare)
    await expect(sealStore(bare)).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
    await expect(sealStore(bare, createKeyRing(two))).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
    expect(await texts(bare)).toEqual(before)
    await expectFilled(await sealStore(bare, createKeyRing(two, [one])), digest)
  })

  it('R-GOV-24 pauses where one value was sealed by a key that is not here', async () => {
    const old = await sealStore(bare, createKeyRing(one))
    const fresh = await sealStore(bare, createKeyRing(two, [one]))
    await fresh.append('call/b', 0, [{ type: 'asked' }], head, about)
    await fresh.settings.set('key/y', 1)
    // This one was opened before there was the other key.
    await expect(old.working('call/b')).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
    await expect(old.settings.get('key/y')).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
    await expect(old.settings.list('key/')).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
    expect(await fresh.working('call/b')).toEqual(about)
  })

  it.each(['', 'secret', '1'.repeat(63), `${'1'.repeat(64)}\n`, 'x'.repeat(64)])(
    'R-GOV-24 takes %j for no key',
    (text) => {
      expect(() => createKeyRing(text)).toThrow(expect.objectContaining({ code: 'KEY_UNKNOWN' }))
      if (text !== '') expect(() => createKeyRing(one, [text])).toThrow(expect.not.stringContaining(text))
    },
  )

  it('R-GOV-25 refuses an older copy of the same row that was put back', async () => {
    const store = await sealStore(bare, createKeyRing(one))
    await fill(store)
    const working = await rowOf('heads', ({ stream }) => stream === 'call/a')
    const setting = await rowOf('settings', ({ key }) => key === 'key/x')
    await store.append('call/a', 1, [{ type: 'again' }], head, { args: 'new' })
    await store.settings.set('key/x', 'new')

    const now = await rowOf('heads', ({ stream }) => stream === 'call/a')
    expect(await bare.rows.replace(now, working.working ?? '')).toBe(true)
    await expect(store.working('call/a')).rejects.toMatchObject({ code: 'STORE_TAMPERED' })
    const later = await rowOf('settings', ({ key }) => key === 'key/x')
    expect(await bare.rows.replace(later, setting.value ?? '')).toBe(true)
    await expect(store.settings.get('key/x')).rejects.toMatchObject({ code: 'STORE_TAMPERED' })
  })

  it('R-GOV-25 refuses a value that was moved to another row, and one that was changed', async () => {
    const store = await sealStore(bare, createKeyRing(one))
    const digest = await fill(store)
    await store.append('call/b', 0, [{ type: 'asked' }], head, { args: 'other' })
    const [a, b] = [
      await rowOf('heads', ({ stream }) => stream === 'call/a'),
      await rowOf('heads', ({ stream }) => stream === 'call/b'),
    ]
    await bare.rows.replace(b, a.working ?? '')
    await expect(store.working('call/b')).rejects.toMatchObject({ code: 'STORE_TAMPERED' })
    const text = a.working ?? ''
    await bare.rows.replace(a, `${text.slice(0, -6)}${text.at(-6) === 'A' ? 'B' : 'A'}${text.slice(-5)}`)
    await expect(store.working('call/a')).rejects.toMatchObject({ code: 'STORE_TAMPERED' })

    await store.blobs.put(Buffer.from('other'), 'text/plain', { ...owner, principal: 'bob' })
    const theirs = await rowOf('blobs', ({ principal }) => principal === 'bob')
    const mine = await rowOf('blobs', ({ principal }) => principal === 'ada')
    await bare.rows.replace(mine, theirs.bytes)
    await expect(store.blobs.get(digest, owner)).rejects.toMatchObject({ code: 'STORE_TAMPERED' })
  })

  it('R-GOV-25 tells nothing of a value in the error', async () => {
    const store = await sealStore(bare, createKeyRing(one))
    await fill(store)
    const row = await rowOf('settings', ({ key }) => key === 'key/x')
    await bare.rows.replace(row, JSON.stringify(JSON.parse(row.value ?? '').slice(0, -3)))
    const error: unknown = await store.settings.get('key/x').catch((caught: unknown) => caught)
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(
      new RegExp(`${canary}|${one}|${row.value?.slice(120, 140)}`),
    )
  })

  it('goes on where an append lost, and when the working copy is emptied', async () => {
    const store = await sealStore(bare, createKeyRing(one))
    await fill(store)
    expect(await store.append('call/a', 0, [{ type: 'late' }], head, { args: 'lost' })).toBe('conflict')
    expect(await store.working('call/a')).toEqual(about)
    expect(await store.append('call/a', 1, [], head, { args: 'moved' })).toBe('appended')
    expect(await store.working('call/a')).toEqual({ args: 'moved' })
    expect(await store.append('call/a', 1, [{ type: 'over' }], { ...head, status: 'ok' })).toBe('appended')
    expect(await store.working('call/a')).toBeUndefined()
  })
})

describe('a rotation', () => {
  it('R-GOV-26 brings everything under the new key, and the former one opens nothing any more', async () => {
    const digest = await fill(await sealStore(bare, createKeyRing(one)))
    const ring = createKeyRing(two, [one])
    await sealStore(bare, ring)
    expect(await resealStore(bare, ring)).toEqual({ changed: 5, kept: 0 })
    await expectFilled(await sealStore(bare, createKeyRing(two)), digest)
    await expect(sealStore(bare, createKeyRing(one))).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
    expect(await resealStore(bare, createKeyRing(two))).toEqual({ changed: 0, kept: 5 })
  })

  it('R-GOV-26 seals what lay there in clear before there was a key', async () => {
    const digest = await fill(bare)
    const ring = createKeyRing(one)
    const store = await sealStore(bare, ring)
    await expectFilled(store, digest)
    expect(await resealStore(bare, ring)).toEqual({ changed: 4, kept: 0 })
    await expectFilled(store, digest)
    for (const text of await texts(bare)) expect(text).not.toContain(canary)
  })

  it('R-GOV-26 loses nothing that is written meanwhile, and is taken up where it was broken off', async () => {
    const first = await sealStore(bare, createKeyRing(one))
    for (let at = 0; at < 200; at += 1) await first.append(`call/${at}`, 0, [{ type: 'asked' }], head, { at })
    const ring = createKeyRing(two, [one])
    const second = await sealStore(bare, ring)
    let done = 0
    const broken = resealStore(bare, ring, (changed) => {
      done = changed
      // Somebody else goes on with a call that it has not come to.
      void second.append(`call/${200 - changed}`, 1, [{ type: 'again' }], head, { at: 200 - changed, again: true })
      if (changed === 60) throw new Error('the process died')
    })
    await expect(broken).rejects.toThrow('died')
    expect(done).toBe(60)
    const { changed } = await resealStore(bare, ring)
    expect(changed).toBeGreaterThan(50)
    const store = await sealStore(bare, createKeyRing(two))
    const found: Json[] = []
    for (let at = 0; at < 200; at += 1) found.push((await store.working(`call/${at}`)) ?? null)
    expect(found.map((value) => (value as { at: number }).at)).toEqual(Array.from({ length: 200 }, (_, at) => at))
    expect(found.filter((value) => (value as { again?: boolean }).again).length).toBeGreaterThan(50)
  })

  it('R-GOV-26 leaves a value that can not be opened as it is, and says so', async () => {
    const store = await sealStore(bare, createKeyRing(one))
    await fill(store)
    const row = await rowOf('settings', ({ key }) => key === 'key/x')
    const damaged = JSON.stringify(
      `${JSON.parse(row.value ?? '').slice(0, 60)}AAAA${JSON.parse(row.value ?? '').slice(64)}`,
    )
    await bare.rows.replace(row, damaged)
    const ring = createKeyRing(two, [one])
    await sealStore(bare, ring)
    await expect(resealStore(bare, ring)).rejects.toMatchObject({ code: 'STORE_TAMPERED' })
    expect((await rowOf('settings', ({ key }) => key === 'key/x')).value).toBe(damaged)
    // The former key is still asked for: what was not brought over needs it.
    await expect(sealStore(bare, createKeyRing(two))).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
  })
})
