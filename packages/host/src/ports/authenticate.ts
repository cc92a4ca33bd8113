import type { Principal } from '@rollcall/plugin'

/**
 * Who sends this request. `undefined`: nobody we know (401).
 * `profile`: the only one this principal may use; absent: those that the face serves to it.
 * `over`: aborts as soon as the principal is known no more; what it has open is ended then.
 */
export type Authenticate = (request: {
  readonly headers: Headers
  readonly remoteAddress: string
  readonly profile: string
}) => Promise<{ readonly principal: Principal; readonly profile?: string; readonly over?: AbortSignal } | undefined>
