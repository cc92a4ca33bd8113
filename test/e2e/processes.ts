import { readdirSync, readFileSync } from 'node:fs'

/** Tells whether a process runs. A zombie is gone: PID 1 of a container may never reap it. */
export function isRunning(pid: number): boolean {
  return rowOf(pid) !== undefined
}

/** The running processes of a group. */
export function runningIn(group: number): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => rowOf(pid)?.group === group)
}

function rowOf(pid: number): { readonly group: number } | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  // The name stands in parentheses and may hold anything, so what follows is read after the last one.
  const [state = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return 'ZX'.includes(state) ? undefined : { group: Number(group) }
}
