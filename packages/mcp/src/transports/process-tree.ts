import { spawnSync } from 'node:child_process'
import { type ProcessRow, readProcessTable } from './process-table.ts'

/**
 * A process that leads its own group, and all that descends from it, also what left the group or lost its parent
 * since it was last seen.
 */
export class ProcessTree {
  readonly #root: number
  readonly #known = new Map<number, ProcessRow>()

  constructor(root: number) {
    this.#root = root
    this.#look()
  }

  /** Tells whether anything of the tree still runs; remembers what it sees. */
  isAlive(): boolean {
    return this.#look() ?? isGroupAlive(this.#root)
  }

  /** Signals the group and every known member outside it. */
  kill(signal: NodeJS.Signals): void {
    this.#look()
    if (process.platform === 'win32') {
      spawnSync('taskkill', ['/pid', String(this.#root), '/T', '/F'], { windowsHide: true })
      return
    }
    signalQuietly(-this.#root, signal)
    for (const { pid, group } of this.#known.values()) if (group !== this.#root) signalQuietly(pid, signal)
  }

  /** Undefined where there is no process table. */
  #look(): boolean | undefined {
    const table = readProcessTable()
    if (table === undefined) return undefined
    for (const [pid, row] of this.#known) if (table.get(pid)?.startedAt !== row.startedAt) this.#known.delete(pid)
    for (let grew = true; grew; ) {
      grew = false
      for (const row of table.values()) {
        if (this.#known.has(row.pid) || !this.#owns(row)) continue
        this.#known.set(row.pid, row)
        grew = true
      }
    }
    return this.#known.size > 0
  }

  #owns(row: ProcessRow): boolean {
    return (
      row.pid === this.#root || row.group === this.#root || row.session === this.#root || this.#known.has(row.parent)
    )
  }
}

function isGroupAlive(root: number): boolean {
  return signalQuietly(process.platform === 'win32' ? root : -root, 0)
}

function signalQuietly(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal)
  } catch {
    // Gone already, which is what was wanted.
    return false
  }
}
