import { expect, it } from 'vitest'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { watchSettings } from '../../src/store/watch-settings.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'

function watching() {
  const clock = createManualClock()
  const { settings } = createMemoryStore({ clock })
  const closing = new AbortController()
  const seen: string[] = []
  const faults: unknown[] = []
  const watch = (read = settings) =>
    watchSettings({ settings: read, prefix: 'a/', clock, signal: closing.signal }, async () => {
      if (faults.length > 0) throw faults.pop()
      seen.push('changed')
    })
  return { clock, settings, closing, seen, faults, watch }
}

it('tells once of what changed under its prefix', async () => {
  const { clock, settings, closing, seen, watch } = watching()
  watch()
  await clock.advance(2_000)
  await settings.set('b/1', true)
  await clock.advance(2_000)
  expect(seen).toEqual([])
  await settings.set('a/1', true)
  await clock.advance(5_000)
  expect(seen).toEqual(['changed'])
  closing.abort()
})

it('tries again what failed, and looks again at a store that could not be read', async () => {
  const { clock, settings, closing, seen, faults, watch } = watching()
  let isBroken = false
  watch({ ...settings, list: (prefix) => (isBroken ? Promise.reject(new TypeError('gone')) : settings.list(prefix)) })
  await clock.advance(1_000)
  faults.push(new TypeError('busy'))
  isBroken = true
  await settings.set('a/1', true)
  await clock.advance(1_000)
  isBroken = false
  await clock.advance(1_000)
  expect(seen).toEqual([])
  await clock.advance(1_000)
  expect(seen).toEqual(['changed'])
  closing.abort()
})

it('tells nothing after its end', async () => {
  const { clock, settings, closing, seen, watch } = watching()
  watch()
  await clock.advance(1_000)
  await settings.set('a/1', true)
  closing.abort()
  await clock.advance(5_000)
  expect(seen).toEqual([])
})
