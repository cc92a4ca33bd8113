import { readdirSync, readFileSync } from 'node:fs'

/** What one process holds at a moment. */
export interface Sample {
  /** Seconds since the run began. */
  readonly at: number
  readonly rssMb: number
  /** Open files, but for connections of clients: those are kept by the client, for as long as it likes. */
  readonly fds: number
  /** Below it in the process tree. */
  readonly processes: number
}

/** Looks at a process that listens on a port; undefined when it is gone. */
export function sampleProcess(
  { pid, port }: { readonly pid: number; readonly port: number },
  at: number,
): Sample | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const rssMb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
    const fds = readdirSync(`/proc/${pid}/fd`).length - connectionsTo(port)
    return { at, rssMb, fds, processes: descendantsOf(pid).length }
  } catch {
    return undefined
  }
}

/** All processes below one; those that have ended and wait to be reaped don't count. */
export function descendantsOf(pid: number): readonly number[] {
  const parents = new Map(pidsNow().flatMap((each) => parentOf(each) ?? []))
  const below = new Set([pid])
  for (let size = 0; size < below.size; ) {
    size = below.size
    for (const [child, parent] of parents) if (below.has(parent)) below.add(child)
  }
  below.delete(pid)
  return [...below]
}

/** The processes whose environment holds a text, wherever they hang in the tree. */
export function processesMarked(mark: string): readonly number[] {
  return pidsNow().filter((pid) => {
    try {
      return parentOf(pid).length > 0 && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark)
    } catch {
      return false
    }
  })
}

/** Connections that somebody has to a port of 127.0.0.1; one that only the listener has not closed yet is none. */
function connectionsTo(port: number): number {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync('/proc/net/tcp', 'latin1').split('\n')
  return rows.map((row) => row.trim().split(/\s+/)).filter(([, at, , state]) => at === local && state === '01').length
}

function pidsNow(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

/** The process and its parent, as a row of a map; nothing when it has ended. */
function parentOf(pid: number): readonly (readonly [pid: number, parent: number])[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name stands in parentheses and may hold anything, so what follows is read after the last one.
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return 'ZX'.includes(state) ? [] : [[pid, Number(parent)]]
  } catch {
    return []
  }
}
