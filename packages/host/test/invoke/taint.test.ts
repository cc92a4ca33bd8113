import { describe, expect, it } from 'vitest'
import { localClient, localUser } from '../../src/gate/local-user.ts'
import { createPolicy } from '../../src/gate/policy.ts'
import type { HostOptions } from '../../src/host-options.ts'
import { createTaintBook } from '../../src/invoke/taint-book.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { pluginWith, readingTool, writingTool } from '../plugins-in-code.ts'
import { asLocal, brittleStore, eventsOf, hostWith } from './host-with.ts'

const minuteMs = 60_000
/** A reader of secrets and one of code in this process, and a tool whose words go out. */
const appOf = (sent: string[] = [], options: HostOptions = {}) =>
  hostWith([], {
    plugins: [
      pluginWith(
        'app',
        readingTool('vault', { dataClass: 'secretAdjacent' }),
        readingTool('code', { dataClass: 'sourceCode' }),
        readingTool('weather'),
      ),
      pluginWith('web', writingTool('post', sent, { approval: 'notNeeded' })),
    ],
    providers: { web: { zone: 'externalGlobal' } },
    ...options,
  })

describe('what was read', () => {
  it('R-SEC-14 R-GOV-12 does not leave: the three that are deadly together end at the gate', async () => {
    const sent: string[] = []
    await using app = await appOf(sent)
    const { host } = app
    expect((await host.tools.call('web__post', { text: 'hello' }, asLocal)).status).toBe('ok')
    await host.tools.call('app__code', {}, asLocal)
    const asked = await host.tools.call('web__post', { text: 'the code' }, asLocal)
    expect(asked).toMatchObject({
      status: 'waiting',
      pending: { taint: { dataClass: 'sourceCode', origins: ['app__code'] } },
    })
    await host.tools.call('app__vault', {}, asLocal)
    const denied = await host.tools.call('web__post', { text: 'the secret' }, asLocal)
    expect(denied).toMatchObject({ status: 'denied', code: 'TOOL_DENIED' })
    expect(denied.text).toContain('secretAdjacent (from app__vault, app__code)')
    expect((await eventsOf(app.store, denied))[1]).toMatchObject({
      decidedBy: 'zone',
      taint: { dataClass: 'secretAdjacent', origins: ['app__vault', 'app__code'] },
    })
    expect(sent).toEqual(['hello'])
  })

  it('R-GOV-12 an approved call is denied after all when its caller reads a secret meanwhile', async () => {
    const sent: string[] = []
    await using app = await appOf(sent)
    const { host } = app
    await host.tools.call('app__code', {}, asLocal)
    const asked = await host.tools.call('web__post', { text: 'the code' }, asLocal)
    if (asked.status !== 'waiting') throw new TypeError(asked.status)
    const { stream, callId, binds } = asked.pending
    await host.tools.answer({ stream, callId }, { kind: 'approval', binds, approved: true }, localUser)
    await host.tools.call('app__vault', {}, asLocal)
    expect(await host.tools.resume({ stream, callId }, asLocal)).toMatchObject({
      status: 'denied',
      code: 'APPROVAL_STALE',
    })
    expect(sent).toEqual([])
  })

  it('R-GOV-12 counts for one client of one principal under one profile, for an hour', async () => {
    const clock = createManualClock()
    await using app = await appOf([], { clock, profiles: [{ name: 'team', zone: 'local' }] })
    const editor = { principal: localClient, profile: 'team', client: { session: 'a', name: 'editor' } }
    const post = async (who: Parameters<typeof app.host.tools.call>[2]) =>
      (await app.host.tools.call('web__post', { text: 'x' }, who)).status
    await app.host.tools.call('app__vault', {}, editor)
    // A new session is no new consumer.
    expect(await post({ ...editor, client: { session: 'b', name: 'editor' } })).toBe('denied')
    expect(await post({ ...editor, client: { session: 'c', name: 'other' } })).toBe('ok')
    expect(await post({ ...editor, profile: 'direct' })).toBe('ok')
    expect(await post({ ...editor, principal: { ...localClient, id: 'ann' } })).toBe('ok')
    await clock.advance(60 * minuteMs)
    expect(await post(editor)).toBe('ok')
  })

  it('R-GOV-12 is kept in the store: another host of the same store knows it', async () => {
    const store = createMemoryStore()
    const options = { store }
    await using one = await appOf([], options)
    await using other = await appOf([], options)
    await one.host.tools.call('app__vault', {}, asLocal)
    expect((await other.host.tools.call('web__post', { text: 'x' }, asLocal)).status).toBe('denied')
  })

  it('R-GOV-12 stays where functions of this process get it', async () => {
    await using app = await appOf([], { providers: {} })
    await app.host.tools.call('app__vault', {}, asLocal)
    expect((await app.host.tools.call('web__post', { text: 'x' }, asLocal)).status).toBe('ok')
  })

  it('R-GOV-12 is withheld where it can not be noted', async () => {
    const store = brittleStore()
    await using app = await appOf([], { store })
    expect((await app.host.tools.call('app__weather', {}, asLocal)).status).toBe('ok')
    store.broken.add('set')
    const outcome = await app.host.tools.call('app__vault', { text: 'S3CRET' }, asLocal)
    expect(outcome).toMatchObject({ status: 'failed', code: 'STORE_UNAVAILABLE' })
    expect(JSON.stringify(outcome)).not.toContain('S3CRET')
    store.broken.clear()
  })
})

describe('the book of what was read', () => {
  const reader = { principal: localUser, profile: 'p' }
  const bookOf = (settings = createMemoryStore().settings, clock = createManualClock()) => ({
    book: createTaintBook({ settings, clock, policy: createPolicy() }),
    settings,
    clock,
  })

  it('keeps the newest origins of each class, and the class of all', async () => {
    const { book, clock } = bookOf()
    await book.note(reader, { name: 'db__read', dataClass: 'secretAdjacent' })
    for (let index = 0; index < 40; index++) {
      await clock.advance(1)
      await book.note(reader, { name: `fs__read_${index}`, dataClass: 'sourceCode' })
    }
    const { dataClass, origins } = await book.read(reader)
    expect(dataClass).toBe('secretAdjacent')
    expect(origins[0]).toBe('fs__read_39')
    expect(origins).toContain('db__read')
    expect(origins.length).toBeLessThanOrEqual(16)
  })

  it('lets two processes write at once, and loses neither', async () => {
    const { settings, clock } = bookOf()
    const books = Array.from({ length: 4 }, () => bookOf(settings, clock).book)
    await Promise.all(books.map((book, index) => book.note(reader, { name: `a__${index}`, dataClass: 'sourceCode' })))
    expect((await books[0]?.read(reader))?.origins.toSorted()).toEqual(['a__0', 'a__1', 'a__2', 'a__3'])
  })

  it('takes a row that it can not read for the worst', async () => {
    const { book, settings } = bookOf()
    await book.note(reader, { name: 'fs__read', dataClass: 'sourceCode' })
    const [[key] = ['']] = await settings.list('taint/')
    await settings.set(key, 'scrambled')
    expect((await book.read(reader)).dataClass).toBe('unreadable')
  })
})
