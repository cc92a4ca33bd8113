import { digestOf, redactSecrets } from '@rollcall/plugin'
import type { ArgumentsDigest } from '../gate/arguments-digest.ts'
import type { Store, StreamId } from '../store/store.ts'

/** Keeps the content of calls beside their journal: sealed where the store is, and gone when they are pruned. */
export interface ContentBook {
  /** Canonical arguments. @throws {RollcallError} `STORE_UNAVAILABLE`. */
  keepArguments(call: ContentOf, args: ArgumentsDigest, text: string): Promise<void>
  /** What the outcome says. @throws {RollcallError} `STORE_UNAVAILABLE`. */
  keepText(call: ContentOf, text: string): Promise<void>
}

/** Whose content it is. */
export interface ContentOf {
  readonly stream: StreamId
  readonly callId: string
  readonly principal: string
}

const maxLength = 64_000

/** @param content `redacted`: known shapes of secrets are taken out before anything is kept */
export function createContentBook(store: Store, content: 'redacted' | 'full'): ContentBook {
  const keep = async ({ stream, callId, principal }: ContentOf, part: string, text: string) => {
    const shown = content === 'full' ? text : redactSecrets(text)
    const bytes = Buffer.from(shown.slice(0, maxLength))
    await store.blobs.put(bytes, 'text/plain', { stream, principal }, placeOf(callId, part))
  }
  return {
    keepArguments: (call, args, text) => keep(call, args, text),
    keepText: (call, text) => keep(call, 'text', text),
  }
}

/** What was kept of a call. */
export async function readContent(
  store: Store,
  { callId, principal }: Pick<ContentOf, 'callId' | 'principal'>,
  args: ArgumentsDigest,
): Promise<{ readonly args?: string; readonly text?: string }> {
  const read = async (part: string) => {
    const bytes = await store.blobs.get(placeOf(callId, part), { principal })
    return bytes && Buffer.from(bytes).toString('utf8')
  }
  const [found, text] = [await read(args), await read('text')]
  return { ...(found !== undefined && { args: found }), ...(text !== undefined && { text }) }
}

/** By the call and the part, not by what it holds. */
function placeOf(callId: string, part: string): ReturnType<typeof digestOf> {
  return digestOf({ content: callId, part })
}
