import type { JsonObject } from '@rollcall/plugin'
import type { Store } from '../../store/store.ts'
import type { SinkOptions } from '../audit-options.ts'
import { sinkIdOf } from './sink-id.ts'
import { cursorRow, readCursor, sinkPrefix, sinkStatePrefix } from './sink-rows.ts'

/** How a sink is doing. */
export interface SinkState {
  readonly id: string
  /** Events that it was not sent yet; calls that are not over are among them. */
  readonly behind: number
  /** Why the last try failed; absent: it did not. */
  readonly failing?: { readonly message: string; readonly at: number }
}

/** How each sink of a configuration is doing. @throws {RollcallError} `STORE_UNAVAILABLE`. */
export async function readSinks(store: Store, options: readonly SinkOptions[]): Promise<readonly SinkState[]> {
  const chains = await store.chains()
  return await Promise.all(
    options.map(async (one) => {
      const id = sinkIdOf(one)
      const rows = new Map(await store.settings.list(`${sinkPrefix}${id}/`))
      const behind = chains.reduce(
        (sum, { chain, from, to }) => sum + to - Math.max(from - 1, readCursor(rows.get(cursorRow(id, chain))).link),
        0,
      )
      const state = (await store.settings.get(`${sinkStatePrefix}${id}`))?.value
      return { id, behind, ...failingOf(state as JsonObject | undefined) }
    }),
  )
}

function failingOf(state: JsonObject | undefined): Pick<SinkState, 'failing'> {
  const { message, at } = state ?? {}
  return typeof message === 'string' && typeof at === 'number' ? { failing: { message, at } } : {}
}
