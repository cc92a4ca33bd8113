import type { McpClaim, ProviderCall } from '@rollcall/host'
import { bareClass, capabilityClassOf } from './capability-class.ts'

/** What tells two connections of one server apart. */
export interface PoolKey {
  /** The client capabilities that the server was told of. */
  readonly capabilityClass: string
  /** Whose credentials it bears. */
  readonly subject: string
  /** Whose state it holds; `shared` where it is everybody's. */
  readonly isolation: string
}

/** Where nobody in particular calls: the first list, and a server that is kept alive. */
export const commonKey: PoolKey = { capabilityClass: bareClass, subject: 'operator', isolation: 'shared' }

/** The key under which a call shares a connection with others. */
export function poolKeyOf(claim: McpClaim, call: Pick<ProviderCall, 'principal' | 'client' | 'caller'>): PoolKey {
  const { principal, client, caller } = call
  const isolation = claim.words.isolation ?? 'shared'
  const own = client === undefined ? `principal ${principal.id}` : `session ${principal.id} ${client.session}`
  return {
    capabilityClass: capabilityClassOf(caller?.capabilities),
    subject: 'operator',
    isolation: { shared: 'shared', principal: `principal ${principal.id}`, session: own }[isolation],
  }
}
