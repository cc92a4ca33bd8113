/**
 * Reads the body of a request as text, as far as `maxBytes`; `undefined` where there is more of it.
 *
 * Counts what arrives: the announced length is somebody else's word.
 */
export async function readBody(request: Request, maxBytes: number): Promise<string | undefined> {
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
