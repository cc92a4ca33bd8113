import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Maybe, RollcallError, type SecretRef } from '@rollcall/plugin'

const maxBytes = 64 * 1024

/** Where a secret may be looked for, and on whose behalf. */
export interface SecretSource {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The configuration's folder: relative files start here, and commands run here. */
  readonly folder: string
  /** Names of variables and files (as written) that may be read; `all`: the operator's own file asks. Default: none. */
  readonly allow?: ReadonlySet<string> | 'all'
  /** Milliseconds that a command may take; default 10,000. */
  readonly commandTimeoutMs?: number
}

/**
 * Reads a secret where its reference points; one line end after it is cut.
 *
 * @throws {RollcallError} `SECRET_MISSING`, naming the variable, file or program and never a value: it is unset, empty,
 * over 64 KB or not allowed, or its command failed.
 */
export async function resolveSecret(ref: SecretRef, from: SecretSource): Promise<string> {
  refuseForeign(ref, from.allow ?? new Set())
  const secret = withoutLineEnd(await readSecret(ref, from))
  if (secret === '') throw missing(ref, 'is empty', 'Give it a value.')
  return secret
}

function refuseForeign(ref: SecretRef, allow: ReadonlySet<string> | 'all'): void {
  if (allow === 'all') return
  if ('command' in ref) throw missing(ref, 'may only be run for the configuration file', 'Use { "env": "NAME" }.')
  const name = 'env' in ref ? ref.env : 'file' in ref ? ref.file : ref.store
  if (!allow.has(name)) throw missing(ref, 'may not be read', `Add ${JSON.stringify(name)} to "secrets.allow".`)
}

function readSecret(ref: SecretRef, from: SecretSource): Maybe<string> {
  if ('env' in ref) return readVariable(ref, from)
  if ('file' in ref) return readSecretFile(ref, from)
  if ('command' in ref) return runCommand(ref, from)
  throw missing(ref, 'can not be read: no secret store is set up', 'Use { "env": "NAME" } instead.')
}

function readVariable(ref: { readonly env: string }, { env }: SecretSource): string {
  const value = Object.hasOwn(env, ref.env) ? env[ref.env] : undefined
  if (value === undefined) throw missing(ref, 'is not set', `Set ${ref.env} in the environment.`)
  return value
}

async function readSecretFile(ref: { readonly file: string }, { folder }: SecretSource): Promise<string> {
  const file = resolve(folder, ref.file)
  const tooLarge = missing(ref, 'is over 64 KB', 'Name the file that holds the secret and nothing else.')
  let bytes: Uint8Array
  try {
    await using handle = await open(file, 'r')
    // One byte more than allowed tells that there is more, without reading it all.
    const { buffer, bytesRead } = await handle.read(new Uint8Array(maxBytes + 1), 0, maxBytes + 1, 0)
    bytes = buffer.subarray(0, bytesRead)
  } catch (cause) {
    throw missing(ref, 'can not be read', `Create ${file}, or correct the path.`, cause)
  }
  if (bytes.length > maxBytes) throw tooLarge
  return new TextDecoder().decode(bytes)
}

// What a failing program wrote may be the secret, so neither its output nor its error is kept.
function runCommand(ref: { readonly command: readonly string[] }, from: SecretSource): Promise<string> {
  const [program = '', ...args] = ref.command
  const { folder, env, commandTimeoutMs = 10_000 } = from
  const options = {
    cwd: folder,
    env: { ...env },
    timeout: commandTimeoutMs,
    maxBuffer: maxBytes,
    killSignal: 'SIGKILL',
  } as const
  return new Promise((settle, fail) => {
    const failed = (error: Failure) =>
      fail(missing(ref, `failed: ${reasonOf(error, commandTimeoutMs)}`, 'Run it in a terminal to see why.'))
    try {
      const child = execFile(program, args, { ...options, encoding: 'utf8', windowsHide: true }, (error, stdout) =>
        error === null ? settle(stdout) : failed(error),
      )
      child.stdin?.end()
    } catch {
      // No process can have such a command line: it is empty, or holds a zero byte.
      failed({ code: 'EINVAL' })
    }
  })
}

/** What is looked at of an error of `execFile`. */
interface Failure {
  readonly code?: unknown
  readonly killed?: boolean
  readonly signal?: unknown
}

function reasonOf(error: Failure, limitMs: number): string {
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'it wrote more than 64 KB'
  if (error.killed === true) return `it did not end within ${limitMs} ms`
  if (typeof error.code === 'number') return `it ended with code ${error.code}`
  return `it could not be run (${String(error.code ?? error.signal ?? 'no reason given')})`
}

function missing(ref: SecretRef, what: string, hint: string, cause?: unknown): RollcallError {
  return new RollcallError('SECRET_MISSING', `The secret of ${nameOf(ref)} ${what}.`, { hint, cause })
}

function nameOf(ref: SecretRef): string {
  if ('env' in ref) return `the variable ${ref.env}`
  if ('file' in ref) return `the file ${ref.file}`
  if ('store' in ref) return `the store entry ${ref.store}`
  return `the command ${ref.command[0] ?? ''}`
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '')
}
