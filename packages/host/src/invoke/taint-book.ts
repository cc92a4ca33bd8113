import { type DataClassName, digestOf, type Json, RollcallError } from '@rollcall/plugin'
import type { GatePolicy } from '../gate/policy.ts'
import { type Taint, untainted } from '../gate/taint.ts'
import { rankOf } from '../gate/zones.ts'
import type { Clock } from '../ports/clock.ts'
import type { Settings } from '../store/store.ts'
import type { CallOptions } from './runtime.ts'

/** Whose reading is kept together: one client of one principal under one profile, or one run. */
export type Reader = Pick<CallOptions, 'principal' | 'profile' | 'client' | 'run'>

/** What each consumer has read lately, in the store, so that another process or a stateless client can't shake it off. */
export interface TaintBook {
  /** @throws {RollcallError} `STORE_UNAVAILABLE`: then nobody knows what could leave, and nothing may. */
  read(reader: Reader): Promise<Taint>
  /**
   * Notes that somebody is about to get data.
   *
   * @throws {RollcallError} `STORE_UNAVAILABLE`: then the data is not to be handed out.
   */
  note(reader: Reader, source: { readonly name: string; readonly dataClass: DataClassName }): Promise<void>
}

/** The rows of this room in the settings of a store. */
export const taintPrefix = 'taint/'

const windowMs = 60 * 60_000
const freshMs = 60_000
const maxOrigins = 16
const maxKnown = 1_000
const maxAttempts = 5

interface Note {
  readonly at: number
  readonly dataClass: string
  readonly origin: string
}

/** Makes the book over the settings of a store. */
export function createTaintBook(deps: {
  readonly settings: Settings
  readonly clock: Clock
  readonly policy: GatePolicy
}): TaintBook {
  const { settings, clock, policy } = deps
  // Harmless data taints nobody, unless a rule asks where data came from.
  const asksForOrigins = policy.rules.some(({ when }) => when.origin !== undefined)
  // What was written a moment ago need not be written again.
  const written = new Map<string, number>()

  const load = async (key: string) => {
    const row = await settings.get(key)
    return { notes: readNotes(row?.value), version: row?.version ?? 0 }
  }
  const isLive = (reader: Reader, { at }: Note) => reader.run !== undefined || at > clock.now() - windowMs

  return {
    async read(reader) {
      const { notes } = await load(keyOf(reader))
      const live = notes.filter((note) => isLive(reader, note)).toSorted((one, other) => other.at - one.at)
      if (live.length === 0) return untainted
      const dataClass = live
        .map((note) => note.dataClass)
        .reduce((a, b) => (rankOf(a, policy) >= rankOf(b, policy) ? a : b))
      return { dataClass, origins: [...new Set(live.map(({ origin }) => origin))] }
    },

    async note(reader, { name, dataClass }) {
      if (rankOf(dataClass, policy) === 0 && !asksForOrigins) return
      const key = keyOf(reader)
      const mark = JSON.stringify([key, dataClass, name])
      const now = clock.now()
      if ((written.get(mark) ?? Number.NEGATIVE_INFINITY) > now - freshMs) return
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const { notes, version } = await load(key)
        const others = notes.filter(
          (note) => isLive(reader, note) && !(note.origin === name && note.dataClass === dataClass),
        )
        const kept = boundOrigins([{ at: now, dataClass, origin: name }, ...others])
        if (!(await settings.set(key, kept as unknown as Json, version))) continue
        if (written.size >= maxKnown) written.clear()
        written.set(mark, now)
        return
      }
      throw new RollcallError('STORE_UNAVAILABLE', 'What was read could not be noted, so it is not handed out.', {
        hint: 'Make the call again.',
      })
    },
  }

  /** The newest of each class stay, whatever number of tools was read from. */
  function boundOrigins(notes: readonly Note[]): readonly Note[] {
    const classes = new Set(notes.map(({ dataClass }) => dataClass))
    const perClass = Math.max(1, Math.floor(maxOrigins / classes.size))
    return [...classes].flatMap((dataClass) => notes.filter((note) => note.dataClass === dataClass).slice(0, perClass))
  }
}

function keyOf({ principal, profile = 'direct', client, run }: Reader): string {
  if (run !== undefined) return `${taintPrefix}run/${run.id}`
  // A key of its own per consumer, whatever its names hold.
  return `${taintPrefix}${digestOf([principal.id, profile, client?.name ?? '']).slice('sha256:'.length)}`
}

/** A row that can't be understood must not read as "nothing was read". */
function readNotes(value: Json | undefined): readonly Note[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) return [unreadable]
  return value.map((note: Json) => (isNote(note) ? note : unreadable))
}

const unreadable: Note = { at: Number.POSITIVE_INFINITY, dataClass: 'unreadable', origin: 'an unreadable record' }

function isNote(value: Json): value is Json & Note {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { at, dataClass, origin } = value as { readonly [key: string]: Json }
  return typeof at === 'number' && typeof dataClass === 'string' && typeof origin === 'string'
}
