import { chmod, rm, stat } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { localClient } from '@rollcall/host'
import type { ServerStatus } from '@rollcall/mcp'
import { isRollcallError, type Logger, RollcallError } from '@rollcall/plugin'
import type { Session } from '../open-session.ts'
import { requireProfile } from '../require-profile.ts'
import { requireProvider } from '../require-provider.ts'
import { dial } from './dial.ts'
import { asHello, readLine, toRefusal, writeLine } from './hello.ts'

/** Milliseconds in which the first client of a fresh host comes, however short its linger is. */
const firstClientMs = 5_000

/** The door of a host for clients of this machine. */
export interface LocalListener extends AsyncDisposable {
  /** Resolves when nobody has come for a while, or another host has taken the place and the last client has left. */
  readonly unused: Promise<void>
}

const watchMs = 1_000

/**
 * Listens on a socket that only this user may open; each connection is one client over lines, after one line that says
 * who it is.
 *
 * @throws {RollcallError} `PORT_IN_USE` when another host of this configuration lives, or the socket can't be made.
 */
export async function listenLocal(options: {
  readonly path: string
  readonly digest: string
  readonly session: Session
  readonly logger: Logger
  /** Milliseconds without a client after which it is unused. Default: never. */
  readonly lingerMs?: number
}): Promise<LocalListener> {
  const { path, digest, session, logger, lingerMs } = options
  const clients = new Map<Socket, AbortController>()
  const unused = Promise.withResolvers<void>()
  let isRetired = false
  let wasSought = false
  let linger: NodeJS.Timeout | undefined

  const rest = () => {
    clearTimeout(linger)
    if (clients.size > 0) return
    if (isRetired) unused.resolve()
    // Whoever had it started needs a moment to come.
    else if (lingerMs !== undefined)
      linger = setTimeout(unused.resolve, wasSought ? lingerMs : Math.max(lingerMs, firstClientMs))
  }
  const retire = () => {
    if (isRetired) return
    isRetired = true
    server.close()
    rest()
  }
  const answer = () => ({ status: 'servers', servers: session.mcp.servers().map(withoutTail) }) as const
  const serve = async (socket: Socket) => {
    const gone = new AbortController()
    clients.set(socket, gone)
    clearTimeout(linger)
    socket.on('error', () => {})
    let isIn = false
    try {
      const hello = asHello(await readLine(socket))
      if (hello === undefined) return
      // Who only asks takes nobody's place.
      if (hello.asks === 'servers') return writeLine(socket, hello.digest === digest ? answer() : { status: 'retired' })
      wasSought = true
      if (hello.digest !== digest || isRetired) {
        // Program or configuration are others now: whoever comes next gets a host of its own.
        if (!isRetired) await rm(path, { force: true })
        retire()
        return writeLine(socket, { status: 'retired' })
      }
      const { name } = requireProfile(session.host, hello.profile)
      if (hello.bare !== undefined) requireProvider(session.host, hello.bare)
      writeLine(socket, { status: 'welcome' })
      isIn = true
      const bare = hello.bare === undefined ? {} : { bare: hello.bare }
      const client = {
        profile: name,
        principal: localClient,
        signal: gone.signal,
        input: socket,
        output: socket,
        ...bare,
      }
      await session.mcp.serveStdio(session.host, client)
    } catch (error) {
      // What follows the welcome is the protocol's.
      if (!isIn && socket.writable) writeLine(socket, toRefusal(error))
      if (isIn || !isRollcallError(error)) logger.error('a local client could not be served', { error })
    } finally {
      socket.end()
      socket.destroySoon()
      clients.delete(socket)
      rest()
    }
  }

  const server = createServer({ allowHalfOpen: true }, (socket) => void serve(socket))
  await bind(server, path)
  const own = await inodeOf(path)
  // A place that was taken over, or a folder that was cleared: nobody finds this host any more.
  const watch = setInterval(() => {
    void inodeOf(path).then((inode) => {
      if (inode !== own) retire()
    })
  }, watchMs).unref()
  rest()
  return {
    unused: unused.promise,
    async [Symbol.asyncDispose]() {
      clearInterval(watch)
      clearTimeout(linger)
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      if (!isRetired && (await inodeOf(path)) === own) await rm(path, { force: true })
      for (const [socket, gone] of clients) {
        gone.abort()
        socket.destroySoon()
      }
      await closed
      unused.resolve()
    },
  }
}

/** The end of an error output may be long, and stands in the error of what failed. */
function withoutTail({ stderrTail: _, ...status }: ServerStatus): ServerStatus {
  return status
}

async function bind(server: Server, path: string): Promise<void> {
  const living = await dial(path)
  if (living !== undefined) {
    living.destroy()
    throw taken(path)
  }
  // What a host left that was killed.
  await rm(path, { force: true })
  const bound = Promise.withResolvers<void>()
  server.once('error', (cause: NodeJS.ErrnoException) => bound.reject(taken(path, cause)))
  const umask = process.umask(0o177)
  try {
    server.listen(path, () => bound.resolve())
  } finally {
    process.umask(umask)
  }
  await bound.promise
  await chmod(path, 0o600)
}

async function inodeOf(path: string): Promise<bigint | undefined> {
  return stat(path, { bigint: true }).then(
    ({ ino }) => ino,
    () => undefined,
  )
}

function taken(path: string, cause?: NodeJS.ErrnoException): RollcallError {
  const why = cause === undefined || cause.code === 'EADDRINUSE' ? 'another host has it' : (cause.code ?? 'failed')
  return new RollcallError('PORT_IN_USE', `The socket ${path} can't be listened on: ${why}.`, {
    hint: 'Let the other host serve, or set ROLLCALL_STATE_DIR to a folder of its own.',
    cause,
  })
}
