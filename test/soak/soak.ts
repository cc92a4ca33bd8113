import { setTimeout as sleep } from 'node:timers/promises'
import { type Broken, breakThings } from './break-things.ts'
import { type Sample, sampleProcess } from './sample-process.ts'
import { seededRandom } from './seeded-random.ts'
import { createSoakClient, type SoakClient } from './soak-client.ts'
import { idleMs, limits, type Served, startServed } from './start-served.ts'
import { createTally, type Tally } from './tally.ts'

/** What a run is made of. */
export interface SoakOptions {
  /** Of load; the first third is the warm-up. */
  readonly seconds: number
  readonly seed: number
  readonly clients: number
  /** Told one line at a time. */
  readonly say: (line: string) => void
}

/** What a run has shown. */
export interface SoakResult {
  readonly tally: Tally
  readonly broken: Broken
  /** Under load, in the warm-up and after it. */
  readonly warmUp: readonly Sample[]
  readonly samples: readonly Sample[]
  /** Nobody asks anything any more: after the warm-up and at the end. */
  readonly quiet: { readonly before: Sample | undefined; readonly after: Sample | undefined }
  /** Milliseconds; undefined when it had to be killed. */
  readonly stopMs: number | undefined
  /** Processes that were left after the stop. */
  readonly left: number
}

const sampleEveryMs = 5_000
const quietLimitMs = 45_000
/** Beyond what a request may take. */
const graceMs = 5_000

/** Serves, works and breaks things for a while, and looks at what remains. */
export async function soak({ seconds, seed, clients: count, say }: SoakOptions): Promise<SoakResult> {
  const begun = performance.now()
  const now = () => (performance.now() - begun) / 1_000
  await using served = await startServed()
  const tally = createTally(limits.turnMs + limits.connectMs + limits.callMs + graceMs)
  const random = seededRandom(seed)
  const clients = Array.from({ length: count }, (_, index) =>
    createSoakClient({ url: served.url, random: seededRandom(seed + index + 1), tally, hasRoots: index % 2 === 1 }),
  )
  const broken: Broken = { upstreams: 0, web: 0, cuts: 0 }
  const warmUp: Sample[] = []
  const samples: Sample[] = []
  const load = async (ms: number, into: Sample[]) => {
    const until = AbortSignal.timeout(ms)
    const watch = async () => {
      while (!until.aborted) {
        await rest(sampleEveryMs, until)
        const sample = sampleProcess(served, now())
        if (sample === undefined) throw new TypeError('The host is gone.')
        into.push(sample)
        say(lineOf(sample, tally))
      }
    }
    await Promise.all([work(clients, until), breakThings({ served, clients, random, broken, until }), watch()])
    return quieten(served, now)
  }
  const before = await load((seconds * 1_000) / 3, warmUp)
  say(`quiet after the warm-up: ${before && lineOf(before, tally)}`)
  const after = await load((seconds * 2_000) / 3, samples)
  say(`quiet at the end: ${after && lineOf(after, tally)}`)
  await served.web[Symbol.asyncDispose]()
  const stopMs = await served.stop()
  return { tally, broken, warmUp, samples, quiet: { before, after }, stopMs, left: served.left().length }
}

async function work(clients: readonly SoakClient[], until: AbortSignal): Promise<void> {
  await Promise.all(clients.map((client) => client.run(until)))
}

/** Waits until the servers that nobody uses are stopped, and nothing changes any more. */
async function quieten(served: Served, now: () => number): Promise<Sample | undefined> {
  const limit = performance.now() + quietLimitMs
  // Sockets that are kept for another request outlive the servers by a few seconds.
  await sleep(idleMs + 5_000)
  for (let last = sampleProcess(served, now()); ; ) {
    await sleep(2_000)
    const sample = sampleProcess(served, now())
    const isStill = sample?.processes === 0 && sample.fds === last?.fds
    if (isStill || sample === undefined || performance.now() > limit) return sample
    last = sample
  }
}

function rest(ms: number, until: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal: until }).catch(() => {})
}

function lineOf({ at, rssMb, fds, processes }: Sample, { counts, hung }: Tally): string {
  const { fine, failed, refused } = counts
  return `${at.toFixed(0)} s  ${rssMb.toFixed(1)} MB  ${fds} fds  ${processes} processes  ${fine} fine, ${failed} failed, ${refused} refused, ${hung.length} hung`
}
