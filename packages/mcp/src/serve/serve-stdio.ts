import { Readable, Writable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Host } from '@rollcall/host'
import { type Logger, type Principal, silentLogger } from '@rollcall/plugin'
import { createSessionServer } from './create-session-server.ts'
import { createToolShelves } from './tool-shelves.ts'

/**
 * Serves one client over standard input and output, or over the streams given.
 *
 * Resolves when the input ends, the output breaks or the signal aborts; calls in flight are aborted then. Writes nothing
 * but protocol messages to the output.
 */
export async function serveStdio(
  host: Host,
  options: {
    readonly profile: string
    readonly principal: Principal
    readonly signal?: AbortSignal
    readonly input?: NodeJS.ReadableStream
    readonly output?: NodeJS.WritableStream
    readonly logger?: Logger
  },
): Promise<void> {
  const { profile, principal, signal, logger = silentLogger } = options
  const input = asReadable(options.input ?? process.stdin)
  const output = asWritable(options.output ?? process.stdout)
  if (signal?.aborted || input.readableEnded || input.destroyed) return

  using shelves = createToolShelves(host, logger)
  const server = createSessionServer({ host, shelves, profile, principal: () => principal, logger })
  const over = new AbortController()
  const end = () => over.abort()
  const ended = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve(), { once: true }))

  const releaseSession = server.onclose
  server.onclose = () => {
    releaseSession?.()
    end()
  }
  server.onerror = (error) => logger.debug('A message of the client was not understood.', { profile, error })
  const inputEnds = ['end', 'close', 'error'] as const
  const outputEnds = ['close', 'error'] as const
  for (const event of inputEnds) input.on(event, end)
  for (const event of outputEnds) output.on(event, end)
  signal?.addEventListener('abort', end, { once: true })

  try {
    await server.connect(new StdioServerTransport(input, output))
    await ended
  } finally {
    await server.close()
    for (const event of inputEnds) input.off(event, end)
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
