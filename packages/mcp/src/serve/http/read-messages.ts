import { isInitializeRequest, type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { readBody } from './read-body.ts'
import type { RefusalReason } from './refuse.ts'

/** The messages of one POST. */
export interface PostedMessages {
  readonly messages: readonly JSONRPCMessage[]
  readonly isBatch: boolean
  /** Whether one of them begins a session. */
  readonly initializes: boolean
}

const maxBatch = 100

/** Reads the JSON that a POST carries, or says why it can't be read. */
export async function readJson(
  request: Request,
  maxBytes: number,
): Promise<{ readonly body: unknown } | RefusalReason> {
  if (!accepts(request.headers, 'application/json') || !accepts(request.headers, 'text/event-stream')) return 'accept'
  if (mediaType(request.headers) !== 'application/json') return 'contentType'

  try {
    const text = await readBody(request, maxBytes)
    return text === undefined ? 'bodySize' : { body: JSON.parse(text) }
  } catch {
    return 'json'
  }
}

/** The messages of the session revisions in the JSON of a POST, or why they are none. */
export function toMessages(body: unknown): PostedMessages | RefusalReason {
  const isBatch = Array.isArray(body)
  const raw: readonly unknown[] = Array.isArray(body) ? body : [body]
  if (raw.length === 0 || raw.length > maxBatch) return 'message'
  const messages: JSONRPCMessage[] = []
  for (const one of raw) {
    const parsed = JSONRPCMessageSchema.safeParse(one)
    if (!parsed.success) return 'message'
    messages.push(parsed.data)
  }
  const initializes = messages.some(isInitializeRequest)
  return initializes && isBatch ? 'initialized' : { messages, isBatch, initializes }
}

/** Tells whether an Accept header names a media type. Without the header everything is accepted. */
export function accepts(headers: Headers, type: string): boolean {
  const header = headers.get('accept')?.toLowerCase()
  return header === undefined || header.includes(type) || header.includes('*/*')
}

/** Tells whether an Accept header names event streams before JSON: such a client hears from us at once. */
export function prefersEvents(headers: Headers): boolean {
  const header = headers.get('accept')?.toLowerCase() ?? ''
  const events = header.indexOf('text/event-stream')
  const json = header.indexOf('application/json')
  return events >= 0 && events < json
}

function mediaType(headers: Headers): string | undefined {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
}
