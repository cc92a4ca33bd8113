import { readdirSync, readFileSync } from 'node:fs'

/** One row of the process table. */
export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Told apart from a later process that got the same id. */
  readonly startedAt: string
}

/** The processes that run; zombies count as gone. Undefined where there is no /proc. */
export function readProcessTable(): ReadonlyMap<number, ProcessRow> | undefined {
  let names: readonly string[]
  try {
    names = readdirSync('/proc')
  } catch {
    return undefined
  }
  const rows = names.filter((name) => /^\d+$/.test(name)).flatMap(readRow)
  return rows.length === 0 ? undefined : new Map(rows.map((row) => [row.pid, row]))
}

/** @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function readRow(pid: string): readonly ProcessRow[] {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return []
  }
  // The second field is the name in parentheses and may hold anything, so the rest is read after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group, session] = fields
  if (state === undefined || 'ZXx'.includes(state)) return []
  return [
    {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      startedAt: fields[19] ?? '',
    },
  ]
}
