import { type Finding, isRollcallError } from '@rollcall/plugin'
import type { Claim } from '../discovery/claim.ts'
import { placeOf } from '../isolation/place-of.ts'
import { type Fault, runIsolated } from '../isolation/run-isolated.ts'
import type { Clock } from '../ports/clock.ts'
import type { Listing, OpenProvider } from './provider.ts'

/** A provider with what it listed, or why it didn't. */
export interface Listed {
  readonly claim: Claim
  readonly open: OpenProvider
  readonly listing?: Listing
  readonly failure?: Finding
  readonly durationMs: number
}

export interface ListToolsOptions {
  readonly clock: Clock
  /** Milliseconds a provider may take; default 10,000. */
  readonly limitMs?: number
  readonly signal?: AbortSignal
}

/** Asks all providers for their tools at once. One that throws, hangs or gives no list costs its own tools only. Never rejects. */
export function listTools(
  providers: readonly { readonly claim: Claim; readonly open: OpenProvider }[],
  options: ListToolsOptions,
): Promise<readonly Listed[]> {
  const { clock, limitMs = 10_000, signal } = options
  const limits = { clock, limitMs, ...(signal === undefined ? {} : { signal }) }
  return Promise.all(
    providers.map(async ({ claim, open }): Promise<Listed> => {
      const listed = await runIsolated(async (stop) => whole(await open.list(stop)), limits)
      const { durationMs } = listed
      if (!listed.ok) return { claim, open, failure: failureOf(claim, listed.fault), durationMs }
      if (typeof listed.value === 'string') return { claim, open, failure: noList(claim, listed.value), durationMs }
      return { claim, open, listing: listed.value, durationMs }
    }),
  )
}

/** The listing with every part in its place, or what stands where the list should be. */
function whole(listing: Listing | null | undefined): Listing | string {
  if (typeof listing !== 'object' || listing === null) return listing === null ? 'null' : typeof listing
  if (!Array.isArray(listing.tools)) return listing.tools === null ? 'null' : typeof listing.tools
  return {
    tools: listing.tools,
    ...(listing.launch === undefined ? {} : { launch: listing.launch }),
    holds: listing.holds ?? [],
    findings: listing.findings ?? [],
    detail: listing.detail ?? '',
    ...(listing.features === undefined ? {} : { features: listing.features }),
  }
}

function failureOf(claim: Claim, fault: Fault): Finding {
  const { error } = fault
  const place = placeOf(error, claim.folder)
  const causes = place === undefined ? fault.causes : [...fault.causes, place]
  const message = `Listing the tools of ${claim.appId} failed: ${fault.message}`
  // A provider that knows what is wrong says so itself.
  if (isRollcallError(error)) return { ...failure(claim, message, error.hint, causes), code: error.code }
  const hint =
    fault.kind === 'timedOut'
      ? `Look why ${claim.plugin} is slow: fetch when a tool is called, not when tools are listed.`
      : `Read the causes; the fault lies in ${claim.plugin}.`
  return failure(claim, message, hint, causes)
}

function noList(claim: Claim, received: string): Finding {
  return failure(
    claim,
    `The tools of ${claim.appId} are no list: received ${received}.`,
    `Correct what ${claim.plugin} lists for ${claim.appId}.`,
    [],
  )
}

function failure(claim: Claim, message: string, hint: string, causes: readonly string[]): Finding {
  return {
    code: 'PROVIDER_LIST_FAILED',
    severity: 'error',
    about: { plugin: claim.plugin, appId: claim.appId },
    phase: 'list',
    message,
    hint,
    causes,
  }
}
