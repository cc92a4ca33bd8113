/**
 * Reads the body of a request as text, as far as `maxBytes`; `undefined` where there is more of it.
 *
 * Where its length is announced the parser of the HTTP server holds the client to it, and the whole is read at once;
 * else what arrives is counted.
 */
export async function readBody(request: Request, maxBytes: number): Promise<string | undefined> {
  const announced = lengthOf(request.headers)
  if (announced !== undefined) return announced <= maxBytes ? request.text() : undefined
  if (request.body === null) return ''
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ''
  for await (const chunk of request.body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function lengthOf(headers: Headers): number | undefined {
  const length = headers.get('content-length')
  return length !== null && /^\d+$/.test(length) && !headers.has('transfer-encoding') ? Number(length) : undefined
}
