import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import type { LoadedConfig } from '@rollcall/host/config'
import type { ServerStatus } from '@rollcall/mcp'
import { isRollcallError, RollcallError, type RollcallErrorCode } from '@rollcall/plugin'
import { version } from '../version.ts'

/** The first line of a client: whom it wants to talk to, and as whom. */
export interface Hello {
  /** Of the program and the configuration as they are now: a host of others is not the one meant. */
  readonly digest: string
  readonly profile: string
  readonly bare?: string
  /** It wants to be told this, and nothing else. */
  readonly asks?: 'servers'
}

/** The first line of a host: come in, what was asked, ask another one, or a fault. */
export type Welcome =
  | { readonly status: 'welcome' }
  | { readonly status: 'servers'; readonly servers: readonly ServerStatus[] }
  | { readonly status: 'retired' }
  | {
      readonly status: 'refused'
      readonly error: { readonly code: string; readonly message: string; readonly hint: string }
    }

const maxLineBytes = 10_000
const helloMs = 5_000

/** Tells one state of program and configuration from another. */
export function hostDigest({ file, folder, digest }: LoadedConfig): string {
  return createHash('sha256')
    .update(JSON.stringify([version, file ?? folder, digest ?? null]))
    .digest('hex')
}

export function writeLine(socket: Socket, line: Hello | Welcome): void {
  socket.write(`${JSON.stringify(line)}\n`)
}

/** Reads the first line and leaves the rest in the socket; `undefined` when it ends, takes too long or is none. */
export function readLine(socket: Socket, maxBytes: number = maxLineBytes): Promise<unknown> {
  return new Promise((resolve) => {
    let text = Buffer.alloc(0)
    const end = (value: unknown) => {
      clearTimeout(timer)
      socket.off('readable', read)
      socket.off('close', close)
      socket.off('error', close)
      resolve(value)
    }
    const close = () => end(undefined)
    const read = () => {
      for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
        text = Buffer.concat([text, chunk])
        const at = text.indexOf(0x0a)
        if (at === -1 && text.length <= maxBytes) continue
        if (at === -1) return end(undefined)
        if (at + 1 < text.length) socket.unshift(text.subarray(at + 1))
        return end(parsed(text.subarray(0, at).toString('utf8')))
      }
    }
    const timer = setTimeout(close, helloMs)
    socket.on('readable', read)
    socket.on('close', close)
    socket.on('error', close)
  })
}

export function asHello(value: unknown): Hello | undefined {
  const { digest, profile, bare, asks } = (value ?? {}) as Record<string, unknown>
  if (typeof digest !== 'string' || typeof profile !== 'string') return undefined
  return { digest, profile, ...(typeof bare === 'string' && { bare }), ...(asks === 'servers' && { asks }) }
}

export function asWelcome(value: unknown): Welcome | undefined {
  const { status, error } = (value ?? {}) as { readonly status?: unknown; readonly error?: unknown }
  if (status === 'welcome' || status === 'retired') return { status }
  const { code, message, hint } = (error ?? {}) as Record<string, unknown>
  if (status !== 'refused' || typeof code !== 'string') return undefined
  return { status, error: { code, message: String(message), hint: String(hint) } }
}

/** What a host says of its servers; both ends are of one version. */
export function asServers(value: unknown): readonly ServerStatus[] | undefined {
  const { status, servers } = (value ?? {}) as { readonly status?: unknown; readonly servers?: unknown }
  return status === 'servers' && Array.isArray(servers) ? servers : undefined
}

/** An error as it travels. */
export function toRefusal(error: unknown): Extract<Welcome, { status: 'refused' }> {
  const { code, message, hint } = isRollcallError(error)
    ? error
    : new RollcallError('HOST_CLOSED', 'The host could not take the client.', { hint: 'Look into its log.' })
  return { status: 'refused', error: { code, message, hint } }
}

/** An error that travelled; both ends are of one version. */
export function fromRefusal({ error }: Extract<Welcome, { status: 'refused' }>): RollcallError {
  return new RollcallError(error.code as RollcallErrorCode, error.message, { hint: error.hint })
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
