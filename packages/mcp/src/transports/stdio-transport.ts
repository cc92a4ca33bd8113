import { stat } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type JsonObject, RollcallError, visibleText } from '@rollcall/plugin'
import type { ResolvedStdio } from '../declaration/resolved-server.ts'
import { guard } from './guardian.ts'
import { killAtExit } from './kill-at-exit.ts'
import { LineSplitter } from './line-splitter.ts'
import { hideSecrets, OutputTail } from './output-tail.ts'
import { parseMessage } from './parse-message.ts'
import { ProcessTree } from './process-tree.ts'
import type { Wire, WireHooks } from './wire.ts'

const stderrBytes = 8_192
/** A server is asked three times to leave; the sum stays under two seconds. */
const grace = { stdinEndMs: 500, termMs: 1_000, killMs: 400, lastWordsMs: 200 }

/**
 * Runs a server as a child process in a group of its own, without a shell, and speaks newline-delimited JSON with it.
 * What is no message on its standard output is ignored and counted; its error output is always drained.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export class StdioTransport implements Wire {
  readonly #server: ResolvedStdio
  readonly #hooks: WireHooks
  readonly #splitter: LineSplitter
  readonly #tail: OutputTail
  #stdin: Writable | undefined
  #tree: ProcessTree | undefined
  #forget: (() => void) | undefined
  #pid: number | undefined
  #noiseLines = 0
  #closed = false
  /** Why the conversation is over. */
  #reason: RollcallError | undefined
  #hasExited = false
  #closing: Promise<void> | undefined

  constructor(server: ResolvedStdio, options: WireHooks & { readonly maxMessageBytes: number }) {
    this.#server = server
    this.#hooks = options
    this.#tail = new OutputTail({ maxBytes: stderrBytes, secrets: server.secrets })
    this.#splitter = new LineSplitter({
      maxBytes: options.maxMessageBytes,
      onLine: (line) => this.#read(line),
      onOverflow: () => this.#giveUp(tooLong(server.name, options.maxMessageBytes)),
    })
  }

  async start(): Promise<void> {
    const { name, command, args, cwd, env, secrets } = this.#server
    // What variables hold is not repeated.
    const shown = (text: string) => visibleText(hideSecrets(text, secrets))
    if (!(await isFolder(cwd))) throw noFolder(name, shown(cwd))
    // Heavy, so it is loaded when the first server starts.
    const { execa } = await import('execa')
    // Whoever closed it meanwhile is not asked to close it again.
    if (this.#closing !== undefined) throw this.#stopped()
    const child = execa(command === 'node' ? process.execPath : command, args, {
      cwd,
      env,
      extendEnv: false,
      buffer: false,
      reject: false,
      killDescendants: true,
      // The shared exit hook looks after the whole tree instead.
      cleanup: false,
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
      windowsHide: true,
    })
    if (child.pid === undefined) {
      const { code, originalMessage } = await child
      throw notStarted(name, shown(command), code, shown(originalMessage ?? 'unknown reason'))
    }
    this.#pid = child.pid
    this.#tree = new ProcessTree(child.pid)
    const forget = [killAtExit(this.#tree), guard(child.pid)]
    this.#forget = () => {
      for (const each of forget) each()
    }
    this.#stdin = child.stdin
    this.#listen(child.stdout, child.stderr)
    child.nodeChildProcess.once('exit', (code, signal) => {
      this.#hasExited = true
      // Its last words may still be in the pipes, and a helper may hold them open for ever.
      const finish = () => this.#giveUp(this.#closing === undefined ? this.#left(code, signal) : this.#stopped())
      child.nodeChildProcess.once('close', finish)
      setTimeout(finish, grace.lastWordsMs).unref()
    })
  }

  send(message: JsonObject): Promise<void> {
    return new Promise((resolve, reject) => {
      const stdin = this.#stdin
      if (stdin === undefined || this.#closed) return reject(this.#reason ?? this.#stopped())
      // Each write wakes the server up: what is sent in one turn of the event loop leaves together.
      if (stdin.writableCorked === 0) {
        stdin.cork()
        process.nextTick(() => stdin.uncork())
      }
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? void this.#whyBroken().then(reject) : resolve()))
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#leave()
    return this.#closing
  }

  vitals(): { readonly pid?: number; readonly stderrTail: string; readonly noiseLines: number } {
    return {
      ...(this.#pid !== undefined && !this.#closed && { pid: this.#pid }),
      stderrTail: this.#tail.read(),
      noiseLines: this.#noiseLines,
    }
  }

  #listen(stdout: Readable, stderr: Readable): void {
    stdout.on('data', (chunk: Buffer) => this.#splitter.push(chunk))
    stderr.on('data', (chunk: Buffer) => this.#tail.push(chunk))
    // As a rule its exit follows at once and says more; one that runs on can't answer any more.
    stdout.once('end', () => setTimeout(() => this.#giveUp(this.#fellSilent()), grace.lastWordsMs).unref())
    // A pipe that breaks is followed by the exit of the process, which says more.
    for (const stream of [stdout, stderr, this.#stdin]) stream?.on('error', () => {})
  }

  /** A pipe breaks a moment before the exit is known, and the exit says more. */
  async #whyBroken(): Promise<RollcallError> {
    await until(() => this.#reason !== undefined, grace.lastWordsMs)
    return this.#reason ?? this.#stopped()
  }

  #read(line: string): void {
    const message = parseMessage(line)
    if (message === undefined) this.#noiseLines += 1
    else if (!this.#closed) this.#hooks.onMessage(message)
  }

  /** The end of the conversation, whoever wanted it: told once, then the tree is cleared away. */
  #giveUp(reason: RollcallError): void {
    if (this.#closed) return
    this.#closed = true
    this.#reason = reason
    this.#hooks.onClosed(reason)
    void this.close()
  }

  async #leave(): Promise<void> {
    const reason = this.#stopped()
    this.#stdin?.end()
    if (this.#tree !== undefined) await this.#clear(this.#tree)
    this.#forget?.()
    this.#giveUp(reason)
  }

  async #clear(tree: ProcessTree): Promise<void> {
    // Looking now remembers helpers that lose their parent when the server leaves.
    tree.isAlive()
    await until(() => this.#hasExited || !tree.isAlive(), grace.stdinEndMs)
    if (!tree.isAlive()) return
    tree.kill('SIGTERM')
    if (await until(() => !tree.isAlive(), grace.termMs)) return
    tree.kill('SIGKILL')
    await until(() => !tree.isAlive(), grace.killMs)
  }

  #left(code: number | null, signal: NodeJS.Signals | null): RollcallError {
    const { name } = this.#server
    const tail = this.#tail.read()
    const how = code === null ? `was ended by ${signal}` : `left with exit code ${code}`
    return new RollcallError('SERVER_UNAVAILABLE', `${name} ${how}.${quoteTail(tail)}`, {
      hint: `Look at its error output, then run "rollcall sync ${name}".`,
      data: { ...(code !== null && { exitCode: code }), stderrTail: tail },
    })
  }

  #fellSilent(): RollcallError {
    const { name } = this.#server
    const tail = this.#tail.read()
    return new RollcallError('SERVER_UNAVAILABLE', `${name} closed its output.${quoteTail(tail)}`, {
      hint: `Look at its error output, then run "rollcall sync ${name}".`,
      data: { stderrTail: tail },
    })
  }

  #stopped(): RollcallError {
    const { name } = this.#server
    return new RollcallError('SERVER_UNAVAILABLE', `${name} was stopped.`, {
      hint: 'Repeat the call: it starts again.',
    })
  }
}

/** The end of a server's error output, as the last part of a message. */
export function quoteTail(tail: string): string {
  // On one line: what a server writes must not look like a line of ours.
  return tail === '' ? '' : ` Its error output ends with: ${tail.slice(-2_000).replace(/\s*[\r\n]+\s*/g, ' | ')}`
}

/** @returns whether it came true in time. */
async function until(isTrue: () => boolean, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs
  for (let waitMs = 5; !isTrue(); waitMs = Math.min(waitMs * 2, 40)) {
    if (performance.now() >= end) return false
    await sleep(waitMs)
  }
  return true
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

function noFolder(name: string, cwd: string): RollcallError {
  return new RollcallError('SERVER_UNAVAILABLE', `${name} can not be started: its folder ${cwd} does not exist.`, {
    hint: `Correct "providers.${name}.cwd".`,
  })
}

function notStarted(name: string, command: string, code: string | undefined, said: string): RollcallError {
  if (code === 'ENOENT') {
    return new RollcallError('SERVER_UNAVAILABLE', `${name} can not be started: there is no command "${command}".`, {
      hint: `Install it, put its folder on PATH, or write its whole path in "providers.${name}.command".`,
    })
  }
  return new RollcallError('SERVER_UNAVAILABLE', `${name} can not be started: ${code ?? said}.`, {
    hint: `Correct "providers.${name}.command"; it got "${command}".`,
  })
}

function tooLong(name: string, maxBytes: number): RollcallError {
  return new RollcallError('SERVER_PROTOCOL', `${name} wrote a line longer than ${maxBytes} bytes and was stopped.`, {
    hint: 'Ask it for less, or raise "mcp.limits.resultBytes".',
  })
}
