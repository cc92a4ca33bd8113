import type { Json } from '@rollcall/plugin'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Clock } from '../../src/ports/clock.ts'
import { linkDigest } from '../../src/store/chain-writer.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { restoreBackup } from '../../src/store/restore-backup.ts'
import type { AppendedEvent, Head, Store, StoredEvent, StreamId } from '../../src/store/store.ts'
import { backupLines } from '../../src/store/write-backup.ts'
import { createManualClock, type ManualClock } from '../../src/testing/manual-clock.ts'

/** A journal entry with a content, as rooms append them. */
type Noted = AppendedEvent & { readonly note: Json }

const noted = (...notes: readonly Json[]): readonly Noted[] => notes.map((note) => ({ type: 'noted', note }))
const running: Omit<Head, 'stream' | 'length'> = { status: 'running', principal: 'ada' }
const unavailable = { code: 'STORE_UNAVAILABLE' }

async function readAll(store: Store, stream: StreamId, after?: number): Promise<StoredEvent[]> {
  return Array.fromAsync(store.read(stream, after))
}

/**
 * What every store must do, however it keeps its rows.
 *
 * @param options.sealed finds blobs by digests of its own, and its rows are backed up as they lie there
 */
export function describeStore(
  name: string,
  makeStore: (clock: Clock) => Promise<Store>,
  options: { readonly sealed?: boolean } = {},
): void {
  describe(name, () => describeParts(makeStore, options))
}

function describeParts(
  makeStore: (clock: Clock) => Promise<Store>,
  { sealed = false }: { readonly sealed?: boolean },
): void {
  let clock: ManualClock
  let store: Store

  beforeEach(async () => {
    clock = createManualClock(1_700_000_000_000)
    store = await makeStore(clock)
  })

  afterEach(() => store[Symbol.asyncDispose]())

  describe('streams', () => {
    it('appends to a stream of exactly the expected length and numbers from 1', async () => {
      expect(await store.append('call/a', 0, noted('one', 'two'), running)).toBe('appended')
      await clock.advance(5)
      expect(await store.append('call/a', 2, noted('three'), running)).toBe('appended')
      const stored = (sequence: number, at: number, note: Json) => ({
        stream: 'call/a',
        sequence,
        at,
        v: 1,
        event: { type: 'noted', note },
      })
      expect(await readAll(store, 'call/a')).toEqual([
        stored(1, 1_700_000_000_000, 'one'),
        stored(2, 1_700_000_000_000, 'two'),
        stored(3, 1_700_000_000_005, 'three'),
      ])
    })

    it.each([0, 1, 3, -1, 1.5, Number.NaN])(
      'calls an append at length %s of a stream of two a conflict',
      async (length) => {
        await store.append('call/a', 0, noted('one', 'two'), running, 'kept')
        expect(await store.append('call/a', length, noted('x'), { ...running, status: 'done' })).toBe('conflict')
        expect(await readAll(store, 'call/a')).toHaveLength(2)
        expect(await store.head('call/a')).toEqual({ ...running, stream: 'call/a', length: 2 })
        expect(await store.working('call/a')).toBe('kept')
      },
    )

    it('calls an append beyond the start of an unknown stream a conflict', async () => {
      expect(await store.append('call/a', 1, noted('x'), running)).toBe('conflict')
      expect(await store.head('call/a')).toBeUndefined()
    })

    it('lets one of many appends at the same length win', async () => {
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, index) => store.append('call/a', 0, noted(index), running)),
      )
      expect(results.filter((result) => result === 'appended')).toHaveLength(1)
      expect(await readAll(store, 'call/a')).toHaveLength(1)
    })

    it('keeps streams apart', async () => {
      await store.append('call/a', 0, noted('a'), running)
      await store.append('run/a', 0, noted('b'), running)
      expect((await readAll(store, 'call/a')).map(({ event }) => event)).toEqual(noted('a'))
      expect((await readAll(store, 'run/a')).map(({ event }) => event)).toEqual(noted('b'))
      expect(await readAll(store, 'run/b')).toEqual([])
    })

    it('reads after a sequence, over more than one page', async () => {
      const notes = Array.from({ length: 700 }, (_, index) => index + 1)
      await store.append('run/a', 0, noted(...notes), running)
      expect((await readAll(store, 'run/a')).map(({ sequence }) => sequence)).toEqual(notes)
      expect((await readAll(store, 'run/a', 698)).map(({ event }) => event)).toEqual(noted(699, 700))
      expect(await readAll(store, 'run/a', 700)).toEqual([])
    })

    it('reads what was there when the reading began, and may be left early', async () => {
      await store.append('run/a', 0, noted('one', 'two'), running)
      const seen: number[] = []
      for await (const { sequence } of store.read('run/a')) {
        if (sequence === 1) await store.append('run/a', 2, noted('three'), running)
        seen.push(sequence)
      }
      expect(seen).toEqual([1, 2])
      for await (const _ of store.read('run/a')) break
      expect(await store.append('run/a', 3, noted('four'), running)).toBe('appended')
    })

    it('writes head and working copy with the events, and empties a working copy that is not given', async () => {
      const head = { status: 'waiting', principal: 'ada', dueAt: 9, parent: 'run/p', key: 'k' } as const
      await store.append('call/a', 0, noted('one'), head, { args: { city: 'Oslo' } })
      expect(await store.head('call/a')).toEqual({ ...head, stream: 'call/a', length: 1 })
      expect(await store.working('call/a')).toEqual({ args: { city: 'Oslo' } })
      await store.append('call/a', 1, noted('two'), { status: 'ok', principal: 'ada' })
      expect(await store.head('call/a')).toEqual({ status: 'ok', principal: 'ada', stream: 'call/a', length: 2 })
      expect(await store.working('call/a')).toBeUndefined()
    })

    it('moves a head without events, also of a stream that had none', async () => {
      expect(await store.append('run/a', 0, [], running, null)).toBe('appended')
      expect(await store.working('run/a')).toBeNull()
      expect(await store.append('run/a', 0, [], { ...running, status: 'idle' })).toBe('appended')
      expect(await store.head('run/a')).toEqual({ status: 'idle', principal: 'ada', stream: 'run/a', length: 0 })
      expect(await store.append('run/a', 0, noted('one'), running)).toBe('appended')
    })

    it('knows nothing of an unknown stream', async () => {
      expect(await store.head('call/none')).toBeUndefined()
      expect(await store.working('call/none')).toBeUndefined()
    })

    it('writes nothing when a value is not JSON', async () => {
      const cycle: Record<string, unknown> = {}
      cycle.self = cycle
      await expect(store.append('call/a', 0, noted('ok', cycle as Json), running)).rejects.toMatchObject(unavailable)
      await expect(store.append('call/a', 0, noted('ok'), running, cycle as Json)).rejects.toMatchObject(unavailable)
      expect(await store.head('call/a')).toBeUndefined()
      expect(await readAll(store, 'call/a')).toEqual([])
    })

    it('keeps unicode, control characters and big values as they are', async () => {
      const note = {
        text: '𝄞 עברית हिन्दी \u0000 \u001b \u2028 \ud800 "\\',
        big: 'x'.repeat(3_000_000),
        '': [null, -0.5, 1e300],
      }
      const stream = 'call/ünï·𝄞' as const
      await store.append(stream, 0, noted(note), { ...running, principal: 'ådä 𝄞' }, note)
      expect((await readAll(store, stream)).map(({ event }) => event)).toEqual(noted(note))
      expect(await store.working(stream)).toEqual(note)
      expect((await store.heads({ kind: 'call', principal: 'ådä 𝄞' })).map(({ stream }) => stream)).toEqual([stream])
    })

    it('shares no object with its callers', async () => {
      const note = { list: [1] }
      const head = { status: 'running', principal: 'ada' }
      await store.append('call/a', 0, noted(note), head, note)
      note.list.push(2)
      head.status = 'changed'
      const events = await readAll(store, 'call/a')
      Object.assign(events[0]?.event ?? {}, { note: 'changed' })
      const working = await store.working('call/a')
      Object.assign(working as object, { list: 'changed' })
      Object.assign((await store.head('call/a')) ?? {}, { status: 'changed' })
      Object.assign((await store.heads({ kind: 'call' }))[0] ?? {}, { status: 'changed' })
      expect((await readAll(store, 'call/a')).map(({ event }) => event)).toEqual(noted({ list: [1] }))
      expect(await store.working('call/a')).toEqual({ list: [1] })
      expect(await store.head('call/a')).toMatchObject({ status: 'running' })
    })
  })

  describe('heads', () => {
    const rows = [
      ['call/z', { status: 'waiting', principal: 'ada', dueAt: 100, key: 'k1' }],
      ['call/a', { status: 'waiting', principal: 'bob', dueAt: 200 }],
      ['call/m', { status: 'ok', principal: 'ada', key: 'k1' }],
      ['run/a', { status: 'waiting', principal: 'ada', dueAt: 50, parent: 'run/p' }],
      ['conversation/a', { status: 'open', principal: 'ada' }],
    ] as const

    beforeEach(async () => {
      for (const [stream, head] of rows) await store.append(stream, 0, noted('x'), head)
    })

    it.each([
      [{ kind: 'call' }, ['call/z', 'call/a', 'call/m']],
      [{ kind: 'run' }, ['run/a']],
      [{ kind: 'conversation' }, ['conversation/a']],
      [{ kind: 'call', status: 'waiting' }, ['call/z', 'call/a']],
      [{ kind: 'call', principal: 'ada' }, ['call/z', 'call/m']],
      [{ kind: 'call', key: 'k1' }, ['call/z', 'call/m']],
      [{ kind: 'call', key: 'k1', status: 'ok' }, ['call/m']],
      [{ kind: 'call', dueBefore: 100 }, []],
      [{ kind: 'call', dueBefore: 101 }, ['call/z']],
      [{ kind: 'call', dueBefore: 1e15 }, ['call/z', 'call/a']],
      [{ kind: 'call', status: 'waiting', principal: 'bob', dueBefore: 1e15 }, ['call/a']],
      [{ kind: 'call', status: 'Waiting' }, []],
    ] as const)('finds %j in the order in which the streams began', async (query, streams) => {
      expect((await store.heads(query)).map(({ stream }) => stream)).toEqual(streams)
    })

    it('follows a head that moved, keeping its place', async () => {
      await store.append('call/z', 1, noted('y'), { status: 'ok', principal: 'ada' })
      expect(await store.heads({ kind: 'call', status: 'ok' })).toEqual([
        { stream: 'call/z', length: 2, status: 'ok', principal: 'ada' },
        { stream: 'call/m', length: 1, status: 'ok', principal: 'ada', key: 'k1' },
      ])
      expect(await store.heads({ kind: 'call', dueBefore: 150 })).toEqual([])
    })
  })

  describe('settings', () => {
    it('counts the version of a row with each write', async () => {
      expect(await store.settings.get('a')).toBeUndefined()
      expect(await store.settings.set('a', { on: true })).toBe(true)
      expect(await store.settings.get('a')).toEqual({ value: { on: true }, version: 1 })
      expect(await store.settings.set('a', false)).toBe(true)
      expect(await store.settings.get('a')).toEqual({ value: false, version: 2 })
    })

    it('writes with an expected version only over that version, 0 being absent', async () => {
      expect(await store.settings.set('a', 1, 1)).toBe(false)
      expect(await store.settings.set('a', 1, 0)).toBe(true)
      expect(await store.settings.set('a', 2, 0)).toBe(false)
      expect(await store.settings.set('a', 2, 1)).toBe(true)
      expect(await store.settings.set('a', 3, 1)).toBe(false)
      expect(await store.settings.get('a')).toEqual({ value: 2, version: 2 })
    })

    it('lets one of many writers at the same version win', async () => {
      const results = await Promise.all(Array.from({ length: 20 }, (_, index) => store.settings.set('a', index, 0)))
      expect(results.filter((won) => won)).toHaveLength(1)
    })

    it('removes a row by null, at its version too', async () => {
      expect(await store.settings.set('gone', null)).toBe(true)
      expect(await store.settings.set('gone', null, 0)).toBe(true)
      expect(await store.settings.set('gone', null, 1)).toBe(false)
      await store.settings.set('a', 1)
      expect(await store.settings.set('a', null, 0)).toBe(false)
      expect(await store.settings.set('a', null, 9)).toBe(false)
      expect(await store.settings.set('a', null, 1)).toBe(true)
      expect(await store.settings.get('a')).toBeUndefined()
      expect(await store.settings.list('')).toEqual([])
    })

    it('never lets a version of a removed row fit a row written anew', async () => {
      await store.settings.set('a', 'first')
      const old = await store.settings.get('a')
      await store.settings.set('a', null)
      expect(await store.settings.set('a', 'second', 0)).toBe(true)
      expect(await store.settings.set('a', 'lost update', old?.version)).toBe(false)
      expect((await store.settings.get('a'))?.value).toBe('second')
    })

    it('lists by prefix in key order, taking % and _ literally', async () => {
      const keys = ['a_1', 'ab1', 'a%1', 'a%_2', 'A%1', 'b', 'a', 'ä', 'a\u{FFFD}', 'a\u{1F600}']
      for (const key of keys) await store.settings.set(key, key)
      const list = async (prefix: string) => (await store.settings.list(prefix)).map(([key]) => key)
      expect(await list('a_')).toEqual(['a_1'])
      expect(await list('a%')).toEqual(['a%1', 'a%_2'])
      expect(await list('a')).toEqual(['a', 'a%1', 'a%_2', 'a_1', 'ab1', 'a\u{FFFD}', 'a\u{1F600}'])
      expect(await list('')).toEqual(['A%1', 'a', 'a%1', 'a%_2', 'a_1', 'ab1', 'a\u{FFFD}', 'a\u{1F600}', 'b', 'ä'])
      expect(await list('nothing')).toEqual([])
      expect(await store.settings.list('b')).toEqual([['b', 'b']])
    })

    it('shares no object with its callers', async () => {
      const value = { list: [1] }
      await store.settings.set('a', value)
      value.list.push(2)
      Object.assign((await store.settings.get('a'))?.value as object, { list: 'changed' })
      Object.assign((await store.settings.list('a'))[0]?.[1] as object, { list: 'changed' })
      expect((await store.settings.get('a'))?.value).toEqual({ list: [1] })
    })
  })

  describe('blobs', () => {
    const ada = { stream: 'call/a', principal: 'ada' } as const
    const bytes = new TextEncoder().encode('hello')

    it('gives bytes back to their owner only', async () => {
      const digest = await store.blobs.put(bytes, 'text/plain', ada)
      const plain = 'sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
      if (sealed) expect(digest).not.toBe(plain)
      else expect(digest).toBe(plain)
      expect(await store.blobs.get(digest, { principal: 'ada' })).toEqual(bytes)
      expect(await store.blobs.get(digest, { principal: 'bob' })).toBeUndefined()
      expect(await store.blobs.get('sha256:00', { principal: 'ada' })).toBeUndefined()
    })

    it('keeps what two owners put, each until its own stream is dropped', async () => {
      const digest = await store.blobs.put(bytes, 'text/plain', ada)
      await store.blobs.put(bytes, 'text/plain', ada)
      await store.blobs.put(bytes, 'text/plain', { stream: 'call/b', principal: 'bob' })
      await store.blobs.drop('call/a')
      expect(await store.blobs.get(digest, { principal: 'ada' })).toBeUndefined()
      expect(await store.blobs.get(digest, { principal: 'bob' })).toEqual(bytes)
      await store.blobs.drop('call/unknown')
    })

    it('keeps empty, binary and big bytes', async () => {
      const big = new Uint8Array(5_000_000).map((_, index) => index % 251)
      for (const content of [new Uint8Array(), new Uint8Array([0, 255, 0]), big, Buffer.from('buffer')]) {
        const digest = await store.blobs.put(content, 'application/octet-stream', ada)
        const got = await store.blobs.get(digest, ada)
        expect(got && Buffer.compare(got, content)).toBe(0)
      }
    })

    it('shares no bytes with its callers', async () => {
      const mine = Buffer.from('hello')
      const digest = await store.blobs.put(mine, 'text/plain', ada)
      mine.fill(0)
      const got = await store.blobs.get(digest, ada)
      got?.fill(1)
      expect(await store.blobs.get(digest, ada)).toEqual(bytes)
    })
  })

  describe('chains', () => {
    const linksOf = async () => Array.fromAsync(store.links(store.chain.id))

    it('R-GOV-60 make every event a link, in the order of the commits, and a conflict none', async () => {
      await store.append('call/a', 0, noted('one', 'two'), running)
      expect(await store.append('call/a', 0, noted('lost'), running)).toBe('conflict')
      await Promise.all([
        store.append('call/b', 0, noted('three'), running),
        store.append('call/b', 0, noted('lost'), running),
        store.append('call/c', 0, noted('four'), running),
      ])
      const links = await linksOf()
      expect(links.map(({ link }) => link)).toEqual([1, 2, 3, 4])
      let previous: (typeof links)[number]['previous'] = ''
      for (const one of links) {
        expect(one.previous).toBe(previous)
        expect(one.digest).toBe(linkDigest({ ...one, previous }))
        previous = one.digest
      }
      expect(store.chain).toMatchObject({ link: 4, digest: previous })
      expect(await store.chains()).toEqual([{ chain: store.chain.id, from: 1, to: 4, digest: previous }])
      expect(await store.unchained()).toBe(0)
    })

    it('R-GOV-60 take back the links of what could not be written', async () => {
      await store.append('call/a', 0, noted('one'), running)
      await expect(
        store.append('call/b', 0, [{ type: 'noted', note: undefined } as never, { type: 1n } as never], running),
      ).rejects.toThrow()
      await store.append('call/c', 0, noted('two'), running)
      expect((await linksOf()).map(({ link }) => link)).toEqual([1, 2])
    })

    it('R-GOV-61 are cut at their beginning, with all that is then left of no event', async () => {
      await store.append('call/a', 0, noted('one'), running)
      await store.blobs.put(new Uint8Array([1]), 'x', { stream: 'call/a', principal: 'ada' })
      await store.append('call/b', 0, noted('two', 'three'), running)
      await store.append('call/c', 0, noted('four'), running)
      expect(await store.prune([{ chain: store.chain.id, upTo: 2 }])).toBe(2)
      expect(await store.head('call/a')).toBeUndefined()
      expect(await readAll(store, 'call/a')).toEqual([])
      expect((await readAll(store, 'call/b')).map(({ sequence }) => sequence)).toEqual([2])
      expect((await store.head('call/b'))?.length).toBe(2)
      expect(await store.append('call/b', 2, noted('five'), running)).toBe('appended')
      expect((await linksOf()).map(({ link }) => link)).toEqual([3, 4, 5])
      expect(await store.prune([{ chain: 'unknown', upTo: 9 }])).toBe(0)
    })
  })

  // Its rows are those of the store below it.
  if (!sealed)
    describe('backups', () => {
      /** Some of everything, text that needs care, a removed setting and an emptied working copy. */
      const fill = async (filled: Store) => {
        await filled.append(
          'call/b',
          0,
          noted('one', '𝄞 \u0000 \ud800 "\\'),
          { ...running, dueAt: 9, key: 'k' },
          { x: 1 },
        )
        await filled.append('call/a', 0, noted('two'), running)
        await filled.append('call/b', 2, noted('three'), { ...running, parent: 'run/p' }, { args: ['ünï'] })
        await filled.append('run/p', 0, [], running)
        for (const key of ['gone', 'kept']) await filled.settings.set(key, { key })
        await filled.settings.set('gone', null)
        await filled.settings.set('kept', [1, 'two'])
        await filled.blobs.put(new Uint8Array([0, 255]), 'image/png', { stream: 'call/a', principal: 'ada' })
        await filled.blobs.put(new Uint8Array(), 'text/plain', { stream: 'call/a', principal: 'ada' })
      }
      const lineless = async function* (lines: AsyncIterable<string> | Iterable<string>) {
        for await (const line of lines) yield line.replace(/\n$/, '')
      }

      it.each(['into memory', 'from memory'])('R-GOV-22 are restored %s with all that there was', async (way) => {
        await using memory = createMemoryStore({ clock })
        const [from, to] = way === 'into memory' ? [store, memory] : [memory, store]
        await fill(from)
        const lines = await Array.fromAsync(backupLines(from, 5))
        expect(await restoreBackup(to, lineless(lines))).toBe(4 + 3 + 2 + 2)
        expect(await to.rows.counts()).toEqual({ events: 4, heads: 3, settings: 2, blobs: 2 })
        const rowsOf = async (some: Store) => (await Array.fromAsync(some.rows.dump())).map((row) => ({ ...row }))
        const inSomeOrder = expect.arrayContaining(await rowsOf(from))
        expect(await rowsOf(to)).toEqual(inSomeOrder)

        expect((await to.heads({ kind: 'call' })).map(({ stream }) => stream)).toEqual(['call/b', 'call/a'])
        expect(await to.working('call/b')).toEqual({ args: ['ünï'] })
        expect(await to.settings.set('gone', 'x', 2)).toBe(false)
        expect(await to.settings.get('kept')).toEqual({ value: [1, 'two'], version: 2 })
        expect(await Array.fromAsync(to.links(from.chain.id))).toEqual(await Array.fromAsync(from.links(from.chain.id)))
        // It is a store like any other: it goes on, and its new events are a chain of their own.
        expect(await to.append('call/b', 3, noted('four'), running)).toBe('appended')
        expect(await to.chains()).toHaveLength(2)
      })

      it('R-GOV-22 are restored into an empty store only', async () => {
        const lines = await Array.fromAsync(backupLines(store, 5))
        await store.settings.set('a', 1)
        await expect(restoreBackup(store, lineless(lines))).rejects.toMatchObject({ code: 'STORE_NOT_EMPTY' })
      })

      it('R-GOV-22 are refused when cut, changed or foreign, and then nothing of them is restored', async () => {
        await using memory = createMemoryStore({ clock })
        await fill(memory)
        const lines = await Array.fromAsync(backupLines(memory, 5))
        const [heading = '', first = '', ...rest] = lines
        const wrong: readonly (readonly string[])[] = [
          [],
          lines.slice(0, -1),
          lines.slice(1),
          [heading, ...rest],
          [heading, first.replace('one', 'new'), ...rest],
          [heading, first, first, ...rest],
          [heading.replace('1', '2'), first, ...rest],
          [heading, '{"table":"users"}\n', first, ...rest],
          [heading, 'no json\n', first, ...rest],
          [...lines, first],
        ]
        for (const text of wrong) {
          await expect(restoreBackup(store, lineless(text))).rejects.toMatchObject({ code: 'BACKUP_INVALID' })
          expect(await store.rows.counts()).toEqual({ events: 0, heads: 0, settings: 0, blobs: 0 })
        }
        expect(await restoreBackup(store, lineless(lines))).toBe(11)
      })

      it('R-GOV-22 show one moment, whatever is written meanwhile, and may be left early', async () => {
        await fill(store)
        const seen: string[] = []
        for await (const row of store.rows.dump()) {
          if (seen.length === 0) await store.append('call/new', 0, noted('late'), running)
          seen.push(JSON.stringify(row))
        }
        expect(seen.filter((row) => row.includes('call/new'))).toEqual([])
        for await (const _ of store.rows.dump()) break
        expect((await store.rows.counts()).heads).toBe(4)
      })
    })

  describe('closing', () => {
    it('may be closed twice, and refuses every use after that', async () => {
      const reading = store.read('call/a')
      await store[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      const owner = { stream: 'call/a', principal: 'ada' } as const
      const uses: readonly Promise<unknown>[] = [
        store.append('call/a', 0, noted('x'), running),
        store.working('call/a'),
        Array.fromAsync(reading),
        readAll(store, 'call/a'),
        store.head('call/a'),
        store.heads({ kind: 'call' }),
        store.settings.get('a'),
        store.settings.set('a', 1),
        store.settings.list(''),
        store.blobs.put(new Uint8Array(), '', owner),
        store.blobs.get('sha256:00', owner),
        store.blobs.drop('call/a'),
        store.rows.counts(),
        Array.fromAsync(store.rows.dump()),
      ]
      for (const use of uses) await expect(use).rejects.toMatchObject(unavailable)
    })
  })
}
