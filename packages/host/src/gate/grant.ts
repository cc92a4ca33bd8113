import type { Digest } from '@rollcall/plugin'
import type { ArgumentsDigest } from './arguments-digest.ts'

/** A person's yes to the next calls of one tool, too. It is void as soon as the tool's definition is another. */
export interface Grant {
  readonly id: string
  /** Public name. */
  readonly tool: string
  readonly definition: Digest
  /** Ids of whose calls it covers. */
  readonly principal: string
  readonly profile: string
  /** `any`, or only calls with the very arguments that were approved. */
  readonly args: 'any' | ArgumentsDigest
  /** Only calls of that session of a client. */
  readonly session?: string
  /** Milliseconds since the epoch. */
  readonly until: number
  /** Who gave it, and when. */
  readonly by: string
  readonly at: number
}

/** What of a call a grant is compared with. */
export interface GrantedCall {
  readonly tool: string
  readonly definition: Digest
  readonly principal: string
  readonly profile: string
  readonly args: ArgumentsDigest
  readonly session?: string
  readonly now: number
}

/** Whether a grant covers a call. What is not said to be covered is not. */
export function covers(grant: Grant, call: GrantedCall): boolean {
  return (
    grant.tool === call.tool &&
    grant.definition === call.definition &&
    grant.principal === call.principal &&
    grant.profile === call.profile &&
    (grant.args === 'any' || grant.args === call.args) &&
    (grant.session === undefined || grant.session === call.session) &&
    call.now < grant.until
  )
}
