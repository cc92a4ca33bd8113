import type { RollcallErrorCode } from '@rollcall/plugin'

interface Refusal {
  readonly status: number
  /** Of JSON-RPC; −32000 where it has none. */
  readonly rpcCode?: number
  readonly code?: RollcallErrorCode
  readonly message: string
  readonly hint: string
  readonly headers?: Readonly<Record<string, string>>
}

const refusals = {
  host: {
    status: 403,
    message: 'The Host header names no address of this server.',
    hint: 'Use the address that `rollcall serve` printed.',
  },
  origin: {
    status: 403,
    message: 'Pages of this origin may not reach this server.',
    hint: 'Open the page from this machine, or connect without a browser.',
  },
  unauthenticated: {
    status: 401,
    message: 'Nobody known sends this request.',
    hint: 'Connect from this machine, straight to the loopback address that `rollcall serve` printed.',
    headers: { 'www-authenticate': 'Bearer realm="rollcall"' },
  },
  path: { status: 404, message: 'Nothing is served here.', hint: 'Use the address that `rollcall serve` printed.' },
  session: {
    status: 404,
    rpcCode: -32001,
    message: 'Session not found',
    hint: 'Initialize again without a session id.',
  },
  sessionMissing: {
    status: 400,
    message: 'Mcp-Session-Id header is required',
    hint: 'Send the session id that the answer to initialize gave.',
  },
  sessionless: {
    status: 405,
    message: 'This revision of the protocol has no sessions.',
    hint: 'Use POST; subscriptions/listen opens a stream.',
    headers: { allow: 'POST' },
  },
  initialized: {
    status: 400,
    rpcCode: -32600,
    message: 'Server already initialized',
    hint: 'Initialize alone in its POST, once, and without a session id.',
  },
  protocolVersion: {
    status: 400,
    message: 'Unsupported protocol version',
    hint: 'Send the version that the answer to initialize gave.',
  },
  method: {
    status: 405,
    message: 'Method not allowed.',
    hint: 'Use POST, GET or DELETE.',
    headers: { allow: 'GET, POST, DELETE' },
  },
  accept: {
    status: 406,
    message: 'Not Acceptable: POST needs application/json and text/event-stream, GET text/event-stream.',
    hint: 'Send them in the Accept header.',
  },
  streamOpen: {
    status: 409,
    message: 'Conflict: this session has an event stream already.',
    hint: 'Close the other stream, or begin a session of your own.',
  },
  event: {
    status: 400,
    rpcCode: -32600,
    message: 'Unknown event id',
    hint: 'What came after it is not kept any more: open a stream without Last-Event-ID, and list and ask again.',
  },
  bodySize: { status: 413, message: 'Payload Too Large', hint: 'Send at most 4 MB in one request.' },
  contentType: {
    status: 415,
    message: 'Unsupported Media Type: Content-Type must be application/json',
    hint: 'Send JSON and say so.',
  },
  json: { status: 400, rpcCode: -32700, message: 'Parse error: Invalid JSON', hint: 'Send one JSON-RPC message.' },
  message: {
    status: 400,
    rpcCode: -32600,
    message: 'Invalid Request: not a JSON-RPC message',
    hint: 'Send one JSON-RPC 2.0 message, or an array of 1 to 100.',
  },
  sessions: {
    status: 429,
    code: 'BUSY',
    message: 'Too many sessions',
    hint: 'End sessions with DELETE; idle ones end after an hour.',
    headers: { 'retry-after': '60' },
  },
  streams: {
    status: 429,
    code: 'BUSY',
    message: 'Too many requests are open',
    hint: 'Wait for answers before sending more.',
    headers: { 'retry-after': '1' },
  },
  closed: {
    status: 503,
    code: 'HOST_CLOSED',
    message: 'This server is closing.',
    hint: 'Connect again when it is back.',
  },
  fault: {
    status: 500,
    rpcCode: -32603,
    message: 'Internal error',
    hint: 'The log of `rollcall serve` says more.',
  },
} as const satisfies Readonly<Record<string, Refusal>>

/** Why a request is turned away before it reaches a session. */
export type RefusalReason = keyof typeof refusals

/** The answer to a request that is turned away: a JSON-RPC error that says what happened and what to do. */
export function refuse(reason: RefusalReason): Response {
  const { status, rpcCode = -32000, code = 'SERVE_REFUSED', message, hint, headers }: Refusal = refusals[reason]
  return Response.json(
    { jsonrpc: '2.0', id: null, error: { code: rpcCode, message, data: { code, hint } } },
    { status, headers: { 'cache-control': 'no-store', ...headers } },
  )
}
