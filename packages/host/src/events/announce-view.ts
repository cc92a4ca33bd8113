import { isRollcallError, RollcallError } from '@rollcall/plugin'
import type { LoadedPlugin } from '../plugins/loaded-plugin.ts'
import type { View } from './collect.ts'

/** What every collecting event is to its listener. */
export interface Announcing<Given> {
  readonly plugin: string
  readonly hostApi: string
  readonly signal: AbortSignal
  readonly isClosed: boolean
  announce(given: Given): void
}

/** The view of one listener, and what it gathered. */
export interface AnnounceView<Given, Item> extends View<Announcing<Given>> {
  readonly items: readonly Item[]
  /** Announcements that were refused, thrown to their author or not. */
  readonly refusals: readonly RollcallError[]
}

/** What an event takes, and what becomes of it. */
export interface Announceable<Given, Item> {
  /** For a person: `a provider`. */
  readonly noun: string
  /**
   * Checks and copies what was announced. An error that is returned is reported only, one that is thrown reaches the
   * author too.
   */
  accept(given: Given, plugin: LoadedPlugin): Item | RollcallError
  /** In words for the report. */
  nameOf(item: Item): string
}

/** Makes the event object of one listener: frozen, and deaf once it is closed. */
export function createAnnounceView<Given, Item>(
  plugin: LoadedPlugin,
  {
    hostApi,
    signal,
    takes,
    onLate,
  }: {
    readonly hostApi: string
    readonly signal: AbortSignal
    readonly takes: Announceable<Given, Item>
    /** Told once, at the first announcement after the view was closed. */
    onLate(error: RollcallError): void
  },
): AnnounceView<Given, Item> {
  const items: Item[] = []
  const refusals: RollcallError[] = []
  let isClosed = false
  let wasLate = false

  const refuseLate = (): never => {
    const error = late(plugin, takes.noun)
    if (!wasLate) onLate(error)
    wasLate = true
    throw error
  }

  return {
    items,
    refusals,
    announced: () => items.map(takes.nameOf),
    close() {
      isClosed = true
    },
    event: Object.freeze({
      plugin: plugin.name,
      hostApi,
      signal,
      get isClosed() {
        return isClosed
      },
      announce(given: Given) {
        if (isClosed) refuseLate()
        const item = attempt(() => takes.accept(given, plugin), refusals)
        if (isRollcallError(item)) refusals.push(item)
        else items.push(item as Item)
      },
    }),
  }
}

function attempt<T>(check: () => T, refusals: RollcallError[]): T {
  try {
    return check()
  } catch (error) {
    if (isRollcallError(error)) refusals.push(error)
    throw error
  }
}

function late({ name }: LoadedPlugin, noun: string): RollcallError {
  return new RollcallError('REGISTRATION_CLOSED', `${name} announced ${noun} after its listener was over.`, {
    hint: 'Return the promise of what the listener starts, or make `tools` a function.',
  })
}
