import type { Json, JsonObject } from '@rollcall/plugin'

/** The rows of sinks in the settings of a store: how far each is in each chain, and how each is doing. */
export const sinkPrefix = 'sink/'
export const sinkStatePrefix = 'sink-state/'

/** How far a sink is in one chain. */
export interface SinkCursor {
  /** What it has got is up to this link. */
  readonly link: number
  /** Who sends now. */
  readonly by: string
  /** Milliseconds since the epoch until which that one is at it. */
  readonly until: number
}

export const cursorRow = (sink: string, chain: string) => `${sinkPrefix}${sink}/${chain}`

/** A row that this program wrote; anything else begins at the beginning, since a repeat does no harm. */
export function readCursor(value: Json | undefined): SinkCursor {
  const { link, by, until } = (typeof value === 'object' && value !== null ? value : {}) as JsonObject
  return {
    link: typeof link === 'number' ? link : 0,
    by: typeof by === 'string' ? by : '',
    until: typeof until === 'number' ? until : 0,
  }
}
