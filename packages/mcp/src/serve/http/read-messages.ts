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

/** Reads what a POST carries, or says why it can't be read. */
export async function readMessages(request: Request, maxBytes: number): Promise<PostedMessages | RefusalReason> {
  if (!accepts(request.headers, 'application/json') || !accepts(request.headers, 'text/event-stream')) return 'accept'
  if (mediaType(request.headers) !== 'application/json') return 'contentType'

  let body: unknown
  try {
    const text = await readBody(request, maxBytes)
    if (text === undefined) return 'bodySize'
    body = JSON.parse(text)
  } catch {
    return 'json'
  }

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

function mediaType(headers: Headers): string | undefined {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
}
