import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { root } from '../list-files.ts'

/** The reference server over HTTP, as a process of its own that may be killed at any time. */
export interface WebServer extends AsyncDisposable {
  readonly url: string
  /** Kills it and starts it again at the same address. */
  restart(): Promise<void>
}

const script = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')

/** Starts it on a free port. */
export async function startWebServer(env: Readonly<Record<string, string>>): Promise<WebServer> {
  const port = await freePort()
  let child: ChildProcess
  const start = async () => {
    child = spawn(process.execPath, [script, 'streamableHttp'], {
      env: { ...env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    // It says on its error output that it listens.
    await Promise.race([once(child.stderr ?? child, 'data'), once(child, 'exit')])
    child.stderr?.resume()
  }
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  await start()
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async restart() {
      await kill()
      await start()
    },
    [Symbol.asyncDispose]: kill,
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new TypeError('There is no free port.')
  return address.port
}
