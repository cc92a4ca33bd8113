import { canonicalJson, type Json } from '@rollcall/plugin'
import type { CheckRun } from './check-run.ts'

/** JSON values by what they are worth: two that JSON Schema calls equal are one. Asking costs the run its steps. */
export class JsonSet {
  readonly #scalars = new Set<Json>()
  /** Canonical texts, apart from the scalars: a text may look like an object. */
  readonly #composed = new Set<string>()

  constructor(values: readonly Json[] = []) {
    for (const value of values) {
      if (isScalar(value)) this.#scalars.add(value)
      else this.#composed.add(canonicalJson(value))
    }
  }

  has(value: Json, run: CheckRun): boolean {
    run.spend(2)
    if (isScalar(value)) return this.#scalars.has(value)
    return this.#composed.size > 0 && this.#composed.has(weighed(value, run))
  }

  /** @returns whether the value is new. */
  add(value: Json, run: CheckRun): boolean {
    run.spend(4)
    const set: Set<Json> = isScalar(value) ? this.#scalars : this.#composed
    const size = set.size
    set.add(isScalar(value) ? value : weighed(value, run))
    return set.size > size
  }
}

function isScalar(value: Json): boolean {
  return typeof value !== 'object' || value === null
}

function weighed(value: Json, run: CheckRun): string {
  const text = canonicalJson(value)
  run.spend(20 + text.length)
  return text
}
