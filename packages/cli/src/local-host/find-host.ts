import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { RollcallError } from '@rollcall/plugin'
import { dial } from './dial.ts'
import { asWelcome, fromRefusal, type Hello, readLine, writeLine } from './hello.ts'

const attempts = 60
const pauseMs = 250

/**
 * Finds the one host of a configuration, starts it if there is none, and is let in.
 *
 * @returns the connection, on which protocol lines follow.
 * @throws {RollcallError} what the host says why it doesn't take this client, or can't start.
 */
export async function findHost(
  hello: Hello,
  options: {
    readonly path: string
    /** Starts a host and resolves when it listens, or another one was quicker. */
    readonly start: () => Promise<void>
    readonly signal: AbortSignal
  },
): Promise<Socket> {
  const { path, start, signal } = options
  for (let attempt = 0; attempt < attempts && !signal.aborted; attempt += 1) {
    const socket = await dial(path)
    if (socket === undefined) {
      await start()
      continue
    }
    writeLine(socket, hello)
    const welcome = asWelcome(await readLine(socket))
    if (welcome?.status === 'welcome') return socket
    socket.destroy()
    if (welcome?.status === 'refused') throw fromRefusal(welcome)
    // It makes room for another host, or was just leaving.
    await sleep(pauseMs)
  }
  throw new RollcallError('HOST_CLOSED', 'The host of this configuration does not answer.', {
    hint: 'Run "rollcall serve --stdio" again; its log lies in the state folder.',
  })
}
