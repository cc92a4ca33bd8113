import { isJsonObject } from '../../is-json-object.ts'

const firstStateless = '2026-07-28'
/** What every request of the stateless revision says about itself in its `_meta`. */
const versionKey = 'io.modelcontextprotocol/protocolVersion'

/**
 * Tells whether a POST may be of the stateless revision. The SDK of that revision decides; it is not loaded for clients
 * of which this is certain already.
 */
export function mayBeStateless(headers: Headers, body: unknown): boolean {
  if (!isOfSessions(headers)) return true
  return (Array.isArray(body) ? body : [body]).some(isStatelessMessage)
}

/** Tells whether a message names the revision that it is of, as those of the stateless one do. */
export function isStatelessMessage(message: unknown): boolean {
  if (!isJsonObject(message) || !isJsonObject(message.params)) return false
  const { _meta } = message.params
  return isJsonObject(_meta) && versionKey in _meta
}

/** Tells whether the headers of a request name a revision with sessions, or none at all. */
export function isOfSessions(headers: Headers): boolean {
  const version = headers.get('mcp-protocol-version')?.trim()
  // Versions are dates.
  return version === undefined || version < firstStateless
}
