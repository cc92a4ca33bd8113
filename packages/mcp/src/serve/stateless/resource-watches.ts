import type { JsonObject } from '@rollcall/plugin'
import type { Answering } from '../client-request.ts'
import type { StatelessRequest } from './answer-stateless.ts'

/** Resources that one client listens to. */
export interface ResourceWatches {
  /** Those that it may listen to. */
  readonly uris: readonly string[]
  /** Who is told of updates, from now on. */
  onUpdated: ((uri: string) => void) | undefined
  /** Ends all of them. */
  release(): void
}

/** More resources than this are not watched for one stream. */
const maxWatched = 100

/** Subscribes to resources for a client that has no session; those that it may not read are left out. */
export async function watchResources(
  answering: Answering,
  who: StatelessRequest['who'],
  capabilities: JsonObject,
  uris: readonly string[],
): Promise<ResourceWatches> {
  const over = new AbortController()
  const watches = { uris: [] as string[], onUpdated: undefined as ResourceWatches['onUpdated'], release }

  // Each has a port of its own: whatever address the server writes, it is known which one the client listens to.
  const watched = [...new Set(uris)].slice(0, maxWatched).map((uri) => ({
    uri,
    caller: {
      capabilities,
      // Whatever becomes of taking it back: nobody listens any more.
      ended: over.signal,
      notify: (method: string) => {
        if (method === 'notifications/resources/updated' && !over.signal.aborted) watches.onUpdated?.(uri)
      },
    },
  }))

  const send = ({ uri, caller }: (typeof watched)[number], method: 'subscribe' | 'unsubscribe') =>
    answering.answer({
      method: `resources/${method}`,
      params: { uri },
      ...who,
      caller,
      signal: method === 'subscribe' ? over.signal : new AbortController().signal,
    })

  function release(): void {
    if (over.signal.aborted) return
    over.abort()
    for (const one of watched) {
      // A server that has gone watches nothing.
      if (watches.uris.includes(one.uri)) send(one, 'unsubscribe').catch(() => {})
    }
  }

  const answers = await Promise.allSettled(watched.map((one) => send(one, 'subscribe')))
  for (const [index, { status }] of answers.entries()) {
    const uri = watched[index]?.uri
    if (status === 'fulfilled' && uri !== undefined) watches.uris.push(uri)
  }
  return watches
}
