import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { guardianScript } from './guardian-script.ts'

const watched = new Set<number>()
let guardian: ChildProcess | undefined

/**
 * Has the tree of this process killed if our own is killed, which no code of ours survives: a small shell waits for the
 * end of its input. It is there while a tree is; where there is no shell, on Windows, nothing is.
 *
 * @param pid leads a process group of its own.
 * @returns the undo, for a tree that is gone.
 */
export function guard(pid: number): () => void {
  if (process.platform === 'win32') return () => {}
  watched.add(pid)
  if (guardian === undefined) guardian = start()
  else tell(guardian, `add ${pid}`)
  return () => {
    if (!watched.delete(pid) || guardian === undefined) return
    tell(guardian, `del ${pid}`)
    if (watched.size > 0) return
    guardian.stdin?.end()
    guardian = undefined
  }
}

function start(): ChildProcess {
  // A session of its own: what a terminal tells the host must not end it first.
  const child = spawn('/bin/sh', ['-c', guardianScript], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.on('error', () => {})
  child.stdin.on('error', () => {})
  child.once('exit', () => {
    // Another one comes with the next server: one that can't run here must not be started for ever.
    if (guardian === child) guardian = undefined
  })
  // The host does not wait for it.
  child.unref()
  if ('unref' in child.stdin) (child.stdin as Socket).unref()
  for (const pid of watched) tell(child, `add ${pid}`)
  return child
}

function tell({ stdin }: ChildProcess, line: string): void {
  if (stdin?.writable === true) stdin.write(`${line}\n`)
}
