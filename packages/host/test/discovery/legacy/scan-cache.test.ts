import { describe, expect, it } from 'vitest'
import type { Winner } from '../../../src/discovery/legacy/candidates.ts'
import { type CacheSlot, clampTtlSeconds, createScanCache } from '../../../src/discovery/legacy/scan-cache.ts'

const alias: Winner = { candidate: 'alias', place: 'ToolProvider::notes' }
const winners = new Map([
  ['notes', alias],
  ['none', null],
])

describe('createScanCache', () => {
  it.each([
    [9, 10],
    [10, 10],
    [600, 600],
    [601, 600],
    [Number.POSITIVE_INFINITY, 600],
    [-1, 10],
    ['x', 60],
    [Number.NaN, 60],
    [undefined, 60],
    [null, 60],
  ])('R-DISC-19 a time to live of %s is %s seconds', (given, seconds) => {
    expect(clampTtlSeconds(given)).toBe(seconds)
    const cache = createScanCache(given)
    cache.write('key', winners, 1_000)
    expect(cache.read('key', 1_000 + seconds * 1_000 - 1)).toEqual(winners)
    expect(cache.read('key', 1_000 + seconds * 1_000)).toEqual(new Map())
  })

  it('knows nothing under another key, and nothing of the future', () => {
    const cache = createScanCache(60)
    cache.write('key', winners, 1_000)
    expect(cache.read('other', 1_000)).toEqual(new Map())
    expect(cache.read('key', 999)).toEqual(new Map())
  })

  it('lets a correction keep the age of what it corrects', () => {
    const cache = createScanCache(60)
    cache.write('key', new Map(), 0)
    cache.write('key', winners, 59_000)
    expect(cache.read('key', 59_999)).toEqual(winners)
    expect(cache.read('key', 60_000)).toEqual(new Map())
    cache.write('key', winners, 61_000)
    expect(cache.read('key', 120_999)).toEqual(winners)
  })

  it.each([
    null,
    'text',
    { key: 'key', writtenAtMs: 0, winners: {} },
    { key: 'key', writtenAtMs: 'x', winners },
    { key: 'key', writtenAtMs: 0, winners: new Map([['notes', { candidate: 'elsewhere', place: '/etc' }]]) },
    { key: 'key', writtenAtMs: 0, winners: new Map([['notes', 7]]) },
  ])('R-DISC-19 what is corrupt is as if there were none: %j', (value) => {
    const slot: CacheSlot = { load: () => value, save() {} }
    expect(createScanCache(60, slot).read('key', 0)).toEqual(new Map())
  })

  it('R-DISC-19 a cache that is unavailable costs nothing but the memory', () => {
    const broken = (): never => {
      throw new TypeError('unavailable')
    }
    const cache = createScanCache(60, { load: broken, save: broken })
    cache.write('key', winners, 0)
    expect(cache.read('key', 0)).toEqual(new Map())
  })
})
