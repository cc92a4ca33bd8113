import { setTimeout as sleep } from 'node:timers/promises'
import { descendantsOf } from './sample-process.ts'
import { pick, type Random } from './seeded-random.ts'
import type { SoakClient } from './soak-client.ts'
import type { Served } from './start-served.ts'

/** How often what was broken. */
export interface Broken {
  /** Killed processes of servers. */
  upstreams: number
  /** Restarts of the server over HTTP. */
  web: number
  /** Cut connections of clients. */
  cuts: number
}

/** What there is to break. */
export interface Breakable {
  readonly served: Served
  readonly clients: readonly SoakClient[]
  readonly random: Random
  readonly broken: Broken
  readonly until: AbortSignal
}

const kinds = ['kill', 'kill', 'kill', 'restart', 'cut', 'cut', 'cut', 'cut'] as const

/** Breaks something every two to six seconds until the signal, each kind in its share. */
export async function breakThings({ served, clients, random, broken, until }: Breakable): Promise<void> {
  for (let bag: readonly (typeof kinds)[number][] = []; ; ) {
    await sleep(2_000 + random() * 4_000, undefined, { signal: until }).catch(() => {})
    if (until.aborted) return
    if (bag.length === 0) bag = kinds
    const at = Math.floor(random() * bag.length)
    const kind = bag[at]
    bag = bag.toSpliced(at, 1)
    if (kind === 'kill') {
      const pid = pick(random, descendantsOf(served.pid))
      if (pid !== undefined && kill(pid)) broken.upstreams += 1
    } else if (kind === 'restart') {
      await served.web.restart()
      broken.web += 1
    } else {
      pick(random, clients)?.cut(random() < 0.5 ? 'resume' : 'terminate')
      broken.cuts += 1
    }
  }
}

/** It may have ended by itself just then. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}
