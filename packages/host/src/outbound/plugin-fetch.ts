import type { OperatorWords, PluginContext } from '@rollcall/plugin'
import type { OutboundFetch } from './outbound-fetch.ts'

/** As the fetch that every program has: a plugin need not think of it. */
const answerWithinMs = 300_000

/**
 * The fetch of one plugin: it reaches private addresses only if the operator says `allowPrivateNetwork` about one of its
 * appIds.
 */
export function pluginFetch(
  fetch: OutboundFetch,
  { name, appIds }: { readonly name: string; readonly appIds: readonly string[] },
  words: ReadonlyMap<string, OperatorWords>,
): PluginContext['fetch'] {
  const allowPrivate = appIds.some((appId) => words.get(appId)?.allowPrivateNetwork === true)
  return (input, init = {}) => fetch(input, init, { name, allowPrivate, answerWithinMs })
}
