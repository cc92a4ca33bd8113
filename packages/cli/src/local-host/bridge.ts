import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { RollcallError } from '@rollcall/plugin'
import { readLines } from './read-lines.ts'
import { SessionMemory } from './session-memory.ts'

const maxHeldLines = 1_000
/** A host that loses its clients this fast, this often, serves nobody. */
const quick = { lossMs: 1_000, losses: 5 }

/**
 * Carries one client's lines to the host of its configuration and back. When the host is lost while the client is there,
 * another one is found or started, and the conversation is taken up where it was.
 *
 * Resolves when the client's input has ended and what it asked for is answered, or the signal aborts.
 *
 * @throws {RollcallError} what keeps it from being let in by a host.
 */
export async function bridge(options: {
  readonly input: Readable
  readonly output: Writable
  readonly find: () => Promise<Socket>
  readonly signal: AbortSignal
}): Promise<void> {
  const { input, output, find, signal } = options
  const memory = new SessionMemory()
  const held: string[] = []
  let host: Socket | undefined
  let hasEnded = false

  const put = (to: Writable, lines: readonly string[]) => {
    for (const line of lines) to.write(`${line}\n`)
  }
  readLines(input, (said) => {
    const line = memory.sent(said)
    if (line === undefined) return
    if (host !== undefined) put(host, [line])
    // Requests are repeated from memory; only what wants no answer has to be kept.
    else if (!line.includes('"id"') && held.length < maxHeldLines) held.push(line)
  })
  const end = () => {
    hasEnded = true
    host?.end()
  }
  for (const event of ['end', 'close', 'error'] as const) input.once(event, end)
  output.once('error', end)
  const abort = () => host?.destroy()
  signal.addEventListener('abort', abort, { once: true })

  try {
    let quickLosses = 0
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const socket = await find()
      const since = performance.now()
      const lost = new Promise<void>((resolve) => socket.once('close', () => resolve()))
      // A host that is done says nothing more; half a connection would hide that it is gone.
      socket.once('end', () => socket.end())
      readLines(socket, (line) => {
        const heard = memory.received(line)
        if (heard !== undefined) put(output, [heard])
      })
      put(socket, memory.replay())
      put(socket, held.splice(0))
      if (!isFirst) put(output, memory.changes())
      host = socket
      if (hasEnded) socket.end()
      await lost
      host = undefined
      put(output, memory.cut())
      if (hasEnded) return
      quickLosses = performance.now() - since < quick.lossMs ? quickLosses + 1 : 0
      if (quickLosses >= quick.losses) throw lostAgain()
    }
  } finally {
    signal.removeEventListener('abort', abort)
    host?.destroy()
  }
}

function lostAgain(): RollcallError {
  return new RollcallError('HOST_CLOSED', 'The host of this configuration ends every conversation at once.', {
    hint: 'Read host.log in the state folder.',
  })
}
