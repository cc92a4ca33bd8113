import { Readable, Writable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { Host } from '@rollcall/host'
import { type JsonObject, type Logger, silentLogger } from '@rollcall/plugin'
import type { ServeStdioOptions } from '../mcp.ts'
import { AnsweredTransport } from './answered-transport.ts'
import { createAnswering } from './create-answering.ts'
import { createSessionServer } from './create-session-server.ts'
import { EraTransport } from './stateless/era-transport.ts'
import { isStatelessMessage } from './stateless/may-be-stateless.ts'
import type { StatelessConnection } from './stateless/stateless-connection.ts'

/** Milliseconds in which calls may still end after the input has: a script that pipes its requests awaits the answers. */
const lastAnswersMs = 5_000

/**
 * Serves one client over standard input and output, or over the streams given, in the revisions with sessions and without.
 *
 * Resolves when the input has ended and what it asked for is answered, but at most `lastAnswersMs` later; at once when
 * the output breaks or the signal aborts. Calls that are in flight then are aborted. Writes nothing but protocol messages
 * to the output.
 */
export async function serveStdio(
  host: Host,
  options: ServeStdioOptions & {
    readonly logger?: Logger
    /** Default 5,000. */
    readonly lastAnswersMs?: number
  },
): Promise<void> {
  const { profile, principal, signal, logger = silentLogger } = options
  const input = asReadable(options.input ?? process.stdin)
  const output = asWritable(options.output ?? process.stdout)
  if (signal?.aborted || input.readableEnded || input.destroyed) return

  const bare = options.bare === undefined ? {} : { bare: options.bare }
  using answering = createAnswering(host, { logger, ...bare })
  const server = createSessionServer({ answering, profile, principal: () => principal, logger })
  const over = new AbortController()
  const end = () => over.abort()
  const ended = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve(), { once: true }))

  const releaseSession = server.onclose
  server.onclose = () => {
    releaseSession?.()
    end()
  }
  const wire = new StdioServerTransport(input, output)
  let stateless: Promise<StatelessConnection> | undefined
  /** Loaded with the first message that needs it. */
  const loadStateless = async () => {
    const { createStatelessConnection } = await import('./stateless/stateless-connection.ts')
    const who = { principal, profile }
    const send = (message: unknown) => wire.send(message as JSONRPCMessage)
    return createStatelessConnection(host, { answering, who, logger, send, ...bare })
  }
  const transport = new AnsweredTransport(
    new EraTransport(wire, (message) => {
      const isStateless = isStatelessMessage(message)
      // The SDK has parsed it from JSON.
      const json = message as unknown as JsonObject
      if (isStateless) stateless ??= loadStateless()
      // A cancel need not say of which revision it is.
      const isCancel = 'method' in message && message.method === 'notifications/cancelled'
      if (isStateless || isCancel)
        stateless
          ?.then((connection) => connection.receive(json))
          .catch((error: unknown) => {
            logger.error('A message of a client could not be taken.', { error })
          })
      return isStateless
    }),
  )
  let isFinishing = false
  const finish = () => {
    if (isFinishing) return
    isFinishing = true
    const limitMs = options.lastAnswersMs ?? lastAnswersMs
    const answeredStateless = stateless?.then((connection) => connection.answered(limitMs))
    void Promise.all([transport.answered(limitMs), answeredStateless]).then(end)
  }
  const inputEnds = ['end', 'close', 'error'] as const
  const outputEnds = ['close', 'error'] as const
  for (const event of inputEnds) input.on(event, finish)
  for (const event of outputEnds) output.on(event, end)
  signal?.addEventListener('abort', end, { once: true })

  try {
    await server.connect(transport)
    await ended
  } finally {
    await (await stateless)?.[Symbol.asyncDispose]()
    await server.close()
    for (const event of inputEnds) input.off(event, finish)
    signal?.removeEventListener('abort', end)
    // The listeners of the output stay: a late broken pipe must not become an uncaught error.
  }
}

function asReadable(stream: NodeJS.ReadableStream): Readable {
  return stream instanceof Readable ? stream : new Readable().wrap(stream)
}

function asWritable(stream: NodeJS.WritableStream): Writable {
  if (stream instanceof Writable) return stream
  return new Writable({ write: (chunk, _encoding, done) => void stream.write(chunk, () => done()) })
}
