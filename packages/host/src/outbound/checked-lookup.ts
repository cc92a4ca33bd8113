import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { judgeAddress } from './judge-address.ts'

/** Finds every address of a host. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>

/** An address that must not be reached: `why` is the end of "it leads to …". */
export class RefusedAddress extends Error {
  readonly why: string

  constructor(why: string) {
    super(`The host leads to ${why}.`)
    this.name = 'RefusedAddress'
    this.why = why
  }
}

/** Asks the system, as everything else on this machine does. */
export const resolveHost: ResolveHost = (host) => lookup(host, { all: true })

/**
 * Resolves a host and refuses it if any of its addresses may not be reached: whoever answers for the name could make
 * the connection go to any of them.
 *
 * @throws {RefusedAddress} and what the resolver throws.
 */
export async function resolveChecked(
  host: string,
  options: { readonly allowPrivate: boolean; readonly resolve: ResolveHost },
): Promise<readonly LookupAddress[]> {
  const addresses = await options.resolve(host)
  if (addresses.length === 0) throw new RefusedAddress('no address at all')
  for (const { address } of addresses) {
    const why = judgeAddress(address, options)
    if (why !== undefined) throw new RefusedAddress(why)
  }
  return addresses
}

/** For a socket: it connects to one of the very addresses that were checked, since nobody resolves the name again. */
export function checkedLookup(options: {
  readonly allowPrivate: boolean
  readonly resolve: ResolveHost
}): LookupFunction {
  return (host, { all }, callback) => {
    resolveChecked(host, options).then(
      (addresses) => {
        const [first] = addresses
        if (all === true || first === undefined) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error instanceof Error ? error : new RefusedAddress('no address'), ''),
    )
  }
}
