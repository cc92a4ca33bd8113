/** One measured figure. Times drift with the machine, so each stands beside a baseline of the same run. */
export interface Figure {
  readonly name: string
  /** Median, with its unit: `12.3 ms`. */
  readonly median: string
  /** What it is compared with, and the ratio: `1.8 × validation and function called bare`. */
  readonly beside: string
  /** How often it was measured. */
  readonly runs: number
}

/** The median of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Milliseconds with three significant digits. */
export function ms(value: number): string {
  return `${Number(value.toPrecision(3))} ms`
}
