import { describe, expect, it } from 'vitest'
import { createKeyAuthenticate } from '../../src/principals/key-authenticate.ts'
import { createKeyBook, type KeyWish } from '../../src/principals/key-book.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { caught } from '../config/caught.ts'

function booked() {
  const clock = createManualClock()
  const store = createMemoryStore({ clock })
  const keys = createKeyBook({ settings: store.settings, clock })
  const gate = createKeyAuthenticate({ keys, otherwise: async () => undefined, clock })
  const enter = (authorization: string | undefined, profile = 'default') =>
    gate.authenticate({
      headers: new Headers(authorization === undefined ? {} : { authorization }),
      remoteAddress: '10.1.2.3',
      profile,
    })
  return { clock, store, keys, enter }
}

const wish: KeyWish = { person: 'jo', profiles: ['default'] }

describe('a key', () => {
  it('R-GOV-40 is kept without its secret, and nobody gets it from the store', async () => {
    const { keys, store } = booked()
    const { token } = await keys.add(wish)
    const secret = token.slice(-43)
    expect(JSON.stringify(await store.settings.list(''))).not.toContain(secret)
    expect(JSON.stringify(await keys.list())).not.toContain(secret)
  })

  it('R-GOV-40 lets its holder in as a principal of its own, with the scopes that it was given and never the one to decide', async () => {
    const { keys, enter } = booked()
    const { key, token } = await keys.add({ ...wish, scopes: ['tools:call', 'runs:approve'] })
    const found = await enter(`Bearer ${token}`)
    expect(found?.principal).toEqual({
      kind: 'user',
      id: `key:${key.id}`,
      person: 'jo',
      admin: false,
      scopes: ['tools:call'],
    })
    expect(found?.over?.aborted).toBe(false)
  })

  it('R-SEC-08 R-GOV-41 that is wrong, expired, revoked, or none at all is nobody, all alike', async () => {
    const { keys, enter, clock } = booked()
    const good = await keys.add(wish)
    const over = await keys.add({ ...wish, expiresAt: clock.now() + 1_000 })
    const revoked = await keys.add(wish)
    const silent = await keys.add({ ...wish, scopes: ['runs:read'] })
    await keys.revoke(revoked.key.id)
    await clock.advance(1_000)
    const other = good.token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    const tries = [over.token, revoked.token, silent.token, other, good.key.id, '', 'rollcall__', 'x'.repeat(5_000)]
    for (const token of tries) expect(await enter(`Bearer ${token}`)).toBeUndefined()
    expect(await enter(`Basic ${good.token}`)).toBeUndefined()
    expect(await enter(undefined)).toBeUndefined()
    expect(await enter(`bearer  ${good.token} `)).toBeDefined()
  })

  it('R-GOV-41 is bound to its profiles: another one looks as if it did not exist', async () => {
    const { keys, enter } = booked()
    const { token } = await keys.add({ ...wish, profiles: ['team', 'web'] })
    expect(await enter(`Bearer ${token}`, 'web')).not.toHaveProperty('profile')
    expect(await enter(`Bearer ${token}`, 'default')).toMatchObject({ profile: 'team' })
  })

  it('R-SEC-24 R-GOV-42 that is revoked or runs out ends what it has open within two seconds', async () => {
    const { keys, enter, clock } = booked()
    const revoked = await keys.add(wish)
    const short = await keys.add({ ...wish, expiresAt: clock.now() + 10_000 })
    const one = (await enter(`Bearer ${revoked.token}`))?.over
    const two = (await enter(`Bearer ${short.token}`))?.over
    await clock.advance(2_000)
    expect([one?.aborted, two?.aborted]).toEqual([false, false])
    expect(await keys.revoke(revoked.key.id)).toBe(true)
    await clock.advance(2_000)
    expect([one?.aborted, two?.aborted]).toEqual([true, false])
    await clock.advance(8_000)
    expect(two?.aborted).toBe(true)
    expect(await keys.revoke(revoked.key.id)).toBe(false)
  })

  it.each<[string, Partial<KeyWish>]>([
    ['a person without a name', { person: ' ' }],
    ['no profile', { profiles: [] }],
    ['an unknown scope', { scopes: ['*' as never] }],
    ['no scope', { scopes: [] }],
    ['a time that is over', { expiresAt: -1 }],
    ['a label with an escape', { label: '\u001b[2J' }],
  ])('R-GOV-40 is not made of %s', async (_, change) => {
    const { keys } = booked()
    expect((await caught(() => keys.add({ ...wish, ...change }))).code).toBe('KEY_INVALID')
    expect(await keys.list()).toEqual([])
  })

  it('tells when it was last used, at most once a minute', async () => {
    const { keys, enter, clock } = booked()
    const { key, token } = await keys.add(wish)
    const begun = clock.now()
    await enter(`Bearer ${token}`)
    await clock.advance(30_000)
    await enter(`Bearer ${token}`)
    expect((await keys.used()).get(key.id)).toBe(begun)
    await clock.advance(31_000)
    await enter(`Bearer ${token}`)
    expect((await keys.used()).get(key.id)).toBe(begun + 61_000)
  })
})
