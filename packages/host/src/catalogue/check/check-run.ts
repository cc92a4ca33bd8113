import type { Json, JsonObject } from '@rollcall/plugin'
import { briefValue } from './brief-value.ts'

const maxSteps = 1_000_000
const maxDepth = 1_000
const maxFaults = 8

/** What is wrong, and where in the value. */
export interface Fault {
  readonly path: readonly (string | number)[]
  /** Put into words only if somebody hears it: most faults belong to forms that were only tried. */
  readonly message: () => string
  /** The fault further down that this one comes from. */
  readonly from?: Fault
}

/** One rule of a schema, ready to be applied. Reports to the run what it finds. */
export type Rule = (value: Json, run: CheckRun) => boolean

/** Thrown when a check would take longer than a caller may wait: some schemas take exponential time on small values. */
export class TooCostly {}

/**
 * One value on its way through a schema. Every step is counted, so that no pair of schema and value, however they are
 * made, holds up the process for longer than about 50 ms.
 */
export class CheckRun {
  readonly #rulesOf: (schema: JsonObject) => readonly Rule[]
  #faults: Fault[] = []
  #path: (string | number)[] = []
  #steps = 0
  #depth = 0
  /** Above 0: whether it fits is all that is asked. */
  #attempts = 0

  constructor(rulesOf: (schema: JsonObject) => readonly Rule[]) {
    this.#rulesOf = rulesOf
  }

  get faults(): readonly Fault[] {
    return this.#faults
  }

  /** Whether more faults would be told to nobody. */
  get hasEnough(): boolean {
    return this.#attempts > 0 || this.#faults.length >= maxFaults
  }

  /** Counts steps of about 50 ns. @throws {TooCostly} when they are used up. */
  spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > maxSteps) throw new TooCostly()
  }

  check(schema: Json, value: Json): boolean {
    if (typeof schema === 'boolean') return schema || this.fault(() => 'is not allowed')
    return this.nested(() => {
      let fits = true
      for (const rule of this.#rulesOf(schema as JsonObject)) {
        this.spend(1)
        if (rule(value, this)) continue
        fits = false
        if (this.hasEnough) break
      }
      return fits
    })
  }

  /** Checks a part of the value. */
  checkAt(key: string | number, schema: Json, value: Json): boolean {
    return this.at(key, () => this.check(schema, value))
  }

  at<T>(key: string | number, work: () => T): T {
    this.#path.push(key)
    const result = work()
    this.#path.pop()
    return result
  }

  /** Tries a schema without consequences. @returns the first fault, or `undefined` when the value fits. */
  attempt(schema: Json, value: Json): Fault | undefined {
    this.spend(10)
    const outer = this.#faults
    this.#faults = []
    this.#attempts++
    const fits = this.check(schema, value)
    const fault = this.#faults[0]
    this.#attempts--
    this.#faults = outer
    return fits ? undefined : (fault ?? { path: [...this.#path], message: () => 'is not allowed' })
  }

  /** Notes a fault at the present place, or at a key below it. Always gives `false`. */
  fault(message: () => string, origin: { readonly below?: string; readonly from?: Fault } = {}): false {
    if (this.#faults.length >= maxFaults) return false
    const { below, from } = origin
    this.spend(5 + this.#path.length / 2)
    const path = below === undefined ? [...this.#path] : [...this.#path, below]
    this.#faults.push({ path, message, ...(from === undefined ? {} : { from }) })
    return false
  }

  /** Runs one level deeper. @throws {TooCostly} where references lead in a circle. */
  nested<T>(work: () => T): T {
    this.spend(1)
    if (++this.#depth > maxDepth) throw new TooCostly()
    const result = work()
    this.#depth--
    return result
  }
}

/** `/items/0 must be string, not 3`: the pointer of a fault and what is wrong there. */
export function faultText({ path, message }: Fault): string {
  if (path.length === 0) return `the arguments: ${message()}`
  const pointer = path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  return `${briefValue(pointer, 'bare')} ${message()}`
}
