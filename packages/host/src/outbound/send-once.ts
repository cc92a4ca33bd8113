import type { Dispatcher, RequestInit as UndiciInit } from 'undici'

/**
 * Sends one request through a dispatcher and follows nothing.
 * Its answer begins within `answerWithinMs`, if that is given; `onSending` is called when a connection is there and the
 * request is about to be written.
 */
export async function sendOnce(
  dispatcher: Dispatcher,
  url: URL,
  init: RequestInit,
  { answerWithinMs = 0, onSending }: { readonly answerWithinMs?: number | undefined; readonly onSending: () => void },
): Promise<Response> {
  const { fetch } = await import('undici')
  const { method, headers, body, signal } = await plain(init)
  const options = {
    ...(method !== undefined && { method }),
    ...(headers !== undefined && { headers }),
    ...(body !== undefined && { body, duplex: 'half' }),
    ...(signal !== undefined && { signal }),
    redirect: 'manual',
    dispatcher: watched(dispatcher, answerWithinMs, onSending),
  }
  // The same interfaces of the web in both, written down twice.
  const response = await fetch(url, options as unknown as UndiciInit)
  return response as unknown as Response
}

/** Only what this fetch stands for: a dispatcher of the caller's own would go where it likes. */
async function plain(init: RequestInit): Promise<Pick<RequestInit, 'method' | 'headers' | 'body' | 'signal'>> {
  const { method, headers, body, signal } = init
  const given = { ...(method !== undefined && { method }), ...(headers !== undefined && { headers }) }
  const kept = { ...given, ...(signal !== undefined && { signal }) }
  if (Object.prototype.toString.call(body) !== '[object FormData]') return body === undefined ? kept : { ...kept, body }
  // The form of another implementation is only a text to this one.
  const encoded = new Response(body)
  const all = new Headers(headers)
  all.set('content-type', encoded.headers.get('content-type') ?? '')
  return { ...kept, headers: all, body: new Uint8Array(await encoded.arrayBuffer()) }
}

/** A dispatcher that tells when a request is on its way. */
function watched(dispatcher: Dispatcher, headersTimeout: number, onSending: () => void): Dispatcher {
  const dispatch: Dispatcher['dispatch'] = (options, handler) => {
    const told = handler as {
      onConnect?: (...args: unknown[]) => unknown
      onRequestStart?: (...args: unknown[]) => unknown
    }
    const name = told.onConnect === undefined ? 'onRequestStart' : 'onConnect'
    const inner = told[name]
    // Where it can not be told, it may have been sent.
    if (inner === undefined) onSending()
    else {
      told[name] = (...args) => {
        onSending()
        return inner.apply(handler, args)
      }
    }
    return dispatcher.dispatch({ ...options, headersTimeout }, handler)
  }
  return { dispatch } as Dispatcher
}
