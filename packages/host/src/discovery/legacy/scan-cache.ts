import { createHash } from 'node:crypto'
import type { LoadedPlugin } from '../../plugins/loaded-plugin.ts'
import { candidates, type Winner } from './candidates.ts'

/** Winning candidates by the name of the plugin and its appId; `null`: all were tried and none was there. */
export type Winners = ReadonlyMap<string, Winner | null>

/** Remembers where providers were found, never the providers. What can't be read or written is as if it weren't there. */
export interface ScanCache {
  /** What is remembered under the key and not older than the time to live; else empty. */
  read(key: string, nowMs: number): Winners
  /** Remembers the winners; what was remembered under the same key and still lives keeps its age. */
  write(key: string, winners: Winners, nowMs: number): void
}

/** Where the cache keeps its one value. Default: memory. */
export interface CacheSlot {
  load(): unknown
  save(value: unknown): void
}

/** Makes a cache. @param ttlSeconds clamped to 10…600; anything that is no number gives 60. */
export function createScanCache(ttlSeconds: unknown, slot: CacheSlot = memorySlot()): ScanCache {
  const ttlMs = clampTtlSeconds(ttlSeconds) * 1_000

  const living = (key: string, nowMs: number): Remembered | undefined => {
    const value = quietly(() => slot.load())
    if (!isRemembered(value) || value.key !== key) return undefined
    const ageMs = nowMs - value.writtenAtMs
    return ageMs >= 0 && ageMs < ttlMs ? value : undefined
  }

  return {
    read: (key, nowMs) => living(key, nowMs)?.winners ?? new Map(),
    write(key, winners, nowMs) {
      const writtenAtMs = living(key, nowMs)?.writtenAtMs ?? nowMs
      quietly(() => slot.save({ key, writtenAtMs, winners } satisfies Remembered))
    },
  }
}

/** The key of a list of plugins: another version is another key, another order is not. */
export function cacheKey(plugins: readonly LoadedPlugin[]): string {
  const list = plugins.flatMap(({ appIds, version }) => appIds.map((appId) => `${appId}@${version}`))
  return createHash('sha256').update(list.sort().join('\n')).digest('hex')
}

/** Seconds that the cache lives: the one setting that is clamped instead of refused. */
export function clampTtlSeconds(seconds: unknown): number {
  return typeof seconds === 'number' && !Number.isNaN(seconds) ? Math.min(600, Math.max(10, seconds)) : 60
}

interface Remembered {
  readonly key: string
  readonly writtenAtMs: number
  readonly winners: Winners
}

function memorySlot(): CacheSlot {
  let kept: unknown
  return {
    load: () => kept,
    save(value) {
      kept = value
    },
  }
}

function isRemembered(value: unknown): value is Remembered {
  if (typeof value !== 'object' || value === null) return false
  const { key, writtenAtMs, winners } = value as { readonly [name: string]: unknown }
  return (
    typeof key === 'string' &&
    typeof writtenAtMs === 'number' &&
    winners instanceof Map &&
    [...winners].every(([name, winner]) => typeof name === 'string' && (winner === null || isWinner(winner)))
  )
}

function isWinner(value: unknown): value is Winner {
  if (typeof value !== 'object' || value === null) return false
  const { candidate, place } = value as { readonly [name: string]: unknown }
  return candidates.some((known) => known === candidate) && typeof place === 'string'
}

function quietly<T>(task: () => T): T | undefined {
  try {
    return task()
  } catch {
    return undefined
  }
}
