import { spawn } from 'node:child_process'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { LoadedConfig } from '@rollcall/host/config'
import { RollcallError } from '@rollcall/plugin'
import { asWelcome, fromRefusal } from './hello.ts'

const startMs = 60_000
const maxLogBytes = 1_000_000

/**
 * Starts the host of a configuration as a process of its own, that stays when this one ends. Its log is `host.log` in
 * the state folder.
 *
 * @returns when it listens, or has found that another one does.
 * @throws {RollcallError} what keeps it from starting.
 */
export async function startHost(
  { file, folder, stateFolder }: LoadedConfig,
  options: { readonly lingerMs: number; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<void> {
  const logFile = join(stateFolder, 'host.log')
  const log = await open(logFile, (await sizeOf(logFile)) > maxLogBytes ? 'w' : 'a', 0o600)
  try {
    const words = ['serve', '--local', '--linger', String(options.lingerMs / 1000), ...(file ? ['--config', file] : [])]
    const child = spawn(process.execPath, [...process.execArgv, ...entry(), ...words], {
      cwd: folder,
      env: { ...options.env, ROLLCALL_STATE_DIR: stateFolder },
      stdio: ['ignore', log.fd, log.fd, 'pipe'],
      detached: true,
    })
    await ready(child.stdio[3] as Readable, logFile)
    child.unref()
  } finally {
    await log.close()
  }
}

/** How this very command was started. */
function entry(): readonly string[] {
  return process.argv[1] === undefined ? [] : [process.argv[1]]
}

/** The host writes one line: that it listens, or why it doesn't. */
async function ready(pipe: Readable, logFile: string): Promise<void> {
  const timer = setTimeout(() => pipe.destroy(), startMs)
  let text = ''
  try {
    for await (const chunk of pipe) {
      text += String(chunk)
      if (text.includes('\n')) break
    }
  } catch {
    // Destroyed by the limit.
  } finally {
    clearTimeout(timer)
    pipe.destroy()
  }
  const said = asWelcome(parsed(text))
  if (said?.status === 'refused' && said.error.code !== 'PORT_IN_USE') throw fromRefusal(said)
  if (said !== undefined) return
  throw new RollcallError('HOST_CLOSED', 'The host of this configuration did not start.', {
    hint: `Read ${logFile}.`,
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}
