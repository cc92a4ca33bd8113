/** How the requests of a run ended. */
export interface Tally {
  /** Runs one request, and waits no longer than the limit. */
  count(name: string, request: () => Promise<unknown>): Promise<void>
  readonly counts: Readonly<Counts>
  /** What was begun, with the seconds that passed, where no end came in time. */
  readonly hung: readonly string[]
  /** Milliseconds of the request that took longest. */
  readonly longestMs: number
  /** How often each reason was given for a failure. */
  readonly reasons: ReadonlyMap<string, number>
}

interface Counts {
  fine: number
  /** Answered by a result that says that the tool failed. */
  failed: number
  /** Ended by an error: of the protocol, or of a connection that was cut. */
  refused: number
}

/** @param limitMs in which each request must have an end, whichever. */
export function createTally(limitMs: number): Tally {
  const counts: Counts = { fine: 0, failed: 0, refused: 0 }
  const hung: string[] = []
  const reasons = new Map<string, number>()
  let longestMs = 0
  return {
    counts,
    hung,
    reasons,
    get longestMs() {
      return longestMs
    },
    async count(name, request) {
      const begun = performance.now()
      const limit = Promise.withResolvers<'hung'>()
      const timer = setTimeout(() => limit.resolve('hung'), limitMs)
      const end = await Promise.race([settle(request()), limit.promise])
      clearTimeout(timer)
      longestMs = Math.max(longestMs, performance.now() - begun)
      if (end === 'hung') return void hung.push(`${name} after ${limitMs / 1_000} s`)
      counts[end.kind] += 1
      if (end.kind !== 'fine') reasons.set(end.reason, (reasons.get(end.reason) ?? 0) + 1)
    },
  }
}

type End = { readonly kind: 'fine' } | { readonly kind: 'failed' | 'refused'; readonly reason: string }

async function settle(request: Promise<unknown>): Promise<End> {
  try {
    const answer = await request
    const isFailed = typeof answer === 'object' && answer !== null && 'isError' in answer && answer.isError === true
    if (!isFailed) return { kind: 'fine' }
    return { kind: 'failed', reason: shortened(JSON.stringify('content' in answer ? answer.content : answer)) }
  } catch (error) {
    return { kind: 'refused', reason: shortened(error instanceof Error ? error.message : String(error)) }
  }
}

/** Numbers and addresses differ each time. */
function shortened(reason: string): string {
  return reason.replaceAll(/\d+/g, 'N').slice(0, 140)
}
