import type { LoadedConfig } from '@rollcall/host/config'
import type { ServerStatus } from '@rollcall/mcp'
import { dial } from './dial.ts'
import { asServers, hostDigest, readLine, writeLine } from './hello.ts'
import { socketPathOf } from './socket-path.ts'

const maxAnswerBytes = 1_000_000

/** How the servers of this configuration's running host are; `undefined` where none runs, or one of another state of it. */
export async function askServers(loaded: LoadedConfig): Promise<readonly ServerStatus[] | undefined> {
  const path = socketPathOf(loaded)
  const socket = path === undefined ? undefined : await dial(path)
  if (socket === undefined) return undefined
  try {
    writeLine(socket, { digest: hostDigest(loaded), profile: 'default', asks: 'servers' })
    return asServers(await readLine(socket, maxAnswerBytes))
  } finally {
    socket.destroy()
  }
}
