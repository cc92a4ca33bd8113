import type { Sample } from './sample-process.ts'
import type { SoakResult } from './soak.ts'

/** The most that a run may show. */
export interface SoakLimits {
  /**
   * Growth of the resident memory under load after the warm-up, as the slope of the line through the samples. Only for a
   * run of many minutes: in one minute the collector makes the memory rise and fall as a whole.
   */
  readonly rssMbPerMinute?: number
  /** How far the memory may rise above the most that it was in the warm-up. */
  readonly rssMbAboveWarmUp: number
  /** More open files at the end than after the warm-up, both without load. */
  readonly fdGrowth: number
  /** Milliseconds from the signal to the end of the host. */
  readonly stopMs: number
}

/** One figure beside its limit. */
export interface Verdict {
  readonly name: string
  readonly value: number
  readonly limit: number
  readonly isFine: boolean
}

/** A run of a minute, which ends before the memory has reached its level. */
export const shortLimits: SoakLimits = { rssMbAboveWarmUp: 160, fdGrowth: 2, stopMs: 5_000 }
/** A run of many minutes: what grows more slowly than this is lost in the noise of the collector. */
export const longLimits: SoakLimits = { ...shortLimits, rssMbAboveWarmUp: 64, rssMbPerMinute: 0.5 }

/** Puts each figure of a run beside its limit. */
export function judge(result: SoakResult, limits: SoakLimits): readonly Verdict[] {
  const { tally, samples, warmUp, quiet, stopMs, left } = result
  const { before, after } = quiet
  const grown = (key: 'fds' | 'processes') => (after?.[key] ?? Number.NaN) - (before?.[key] ?? Number.NaN)
  const rows: [name: string, value: number, limit: number][] = [
    ['hung requests', tally.hung.length, 0],
    ['RSS above that of the warm-up, MB', peakOf(samples) - peakOf(warmUp), limits.rssMbAboveWarmUp],
    ['growth of open files', grown('fds'), limits.fdGrowth],
    ['growth of processes', grown('processes'), 0],
    ['milliseconds to stop', stopMs ?? Number.POSITIVE_INFINITY, limits.stopMs],
    ['processes left after the stop', left, 0],
  ]
  if (limits.rssMbPerMinute !== undefined) {
    // At first it takes again what it gave back while it was quiet.
    const settled = samples.slice(Math.floor(samples.length / 5))
    rows.push(['slope of the RSS, MB a minute', slopeOf(settled), limits.rssMbPerMinute])
  }
  // What is no number is no proof either.
  return rows.map(([name, value, limit]) => ({ name, value, limit, isFine: value <= limit }))
}

function peakOf(samples: readonly Sample[]): number {
  return Math.max(...samples.map(({ rssMb }) => rssMb))
}

/** Least squares; MB a minute. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, each) => sum + of(each), 0) / samples.length
  const middle = { at: mean(({ at }) => at), rssMb: mean(({ rssMb }) => rssMb) }
  const both = samples.reduce((sum, { at, rssMb }) => sum + (at - middle.at) * (rssMb - middle.rssMb), 0)
  const square = samples.reduce((sum, { at }) => sum + (at - middle.at) ** 2, 0)
  return (both / square) * 60
}
