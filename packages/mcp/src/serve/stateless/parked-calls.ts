import { randomBytes } from 'node:crypto'
import { canonicalJson, type JsonObject, type Principal } from '@rollcall/plugin'
import { invalidParams, RpcError } from '../rpc-error.ts'
import { RoundCall } from './round-call.ts'

/** How many calls may wait for their clients, and how long. */
export interface ParkingLimits {
  /** Default 16 calls of one principal. */
  readonly parked: number
  /** Milliseconds; default 10 min. A call that nobody comes back to is cancelled then. */
  readonly parkedMs: number
}

export const defaultParkingLimits: ParkingLimits = { parked: 16, parkedMs: 600_000 }

/** To whom a call belongs, and what it was asked for: only the same request of the same principal takes it up. */
export interface ParkingOwner {
  readonly principal: Principal
  readonly profile: string
  readonly method: string
  readonly params: JsonObject
}

interface Parked {
  readonly call: RoundCall
  readonly mark: string
  readonly timer: NodeJS.Timeout
}

/**
 * Calls that have asked their clients and wait for them to come back.
 *
 * A parked call is found by a word of chance that holds once. It says nothing, and nothing of it outlives this process.
 */
export class ParkedCalls implements Disposable {
  readonly #limits: ParkingLimits
  readonly #calls = new Map<RoundCall, string>()
  readonly #parked = new Map<string, Parked>()
  readonly #watched = new WeakSet<AbortSignal>()

  constructor(limits: ParkingLimits) {
    this.#limits = limits
  }

  /** Begins a call of this owner. */
  begin(owner: ParkingOwner, parts: Omit<ConstructorParameters<typeof RoundCall>[0], 'hasRoom'>): RoundCall {
    const principalId = owner.principal.id
    const call = new RoundCall({
      ...parts,
      hasRoom: () => call.isAsking || this.#waiting(principalId) < this.#limits.parked,
    })
    this.#calls.set(call, principalId)
    void call.ended.then(() => this.#calls.delete(call))
    return call
  }

  /** @returns the state by which the client takes the call up again. */
  park(call: RoundCall, owner: ParkingOwner): string {
    const state = randomBytes(32).toString('base64url')
    const timer = setTimeout(() => {
      this.#parked.delete(state)
      call.cancel()
    }, this.#limits.parkedMs).unref()
    this.#parked.set(state, { call, mark: markOf(owner), timer })
    return state
  }

  /**
   * Finds a parked call, and forgets its state.
   *
   * @throws {RpcError} −32602 for a state that is unknown, used up, too old, or of another principal or request.
   */
  take(state: unknown, owner: ParkingOwner): RoundCall {
    const parked = typeof state === 'string' ? this.#parked.get(state) : undefined
    // Told apart, these would tell a stranger what there is.
    if (typeof state !== 'string' || parked?.mark !== markOf(owner)) {
      throw new RpcError(invalidParams, 'Invalid or expired requestState: call again without it.', {
        reason: 'invalid_request_state',
      })
    }
    this.#parked.delete(state)
    clearTimeout(parked.timer)
    return parked.call
  }

  /** Ends what this principal has parked. */
  endOf(principalId: string): void {
    for (const [call, owner] of this.#calls) if (owner === principalId) call.cancel()
  }

  /** Ends it when the principal is known no more, for as long as anything of it is parked. */
  watch(principalId: string, over: AbortSignal): void {
    if (this.#watched.has(over)) return
    this.#watched.add(over)
    over.addEventListener('abort', () => this.endOf(principalId), { once: true })
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#parked.values()) clearTimeout(timer)
    this.#parked.clear()
    for (const call of this.#calls.keys()) call.cancel()
  }

  #waiting(principalId: string): number {
    let waiting = 0
    for (const [call, owner] of this.#calls) if (owner === principalId && call.isAsking) waiting += 1
    return waiting
  }
}

function markOf({ principal, profile, method, params }: ParkingOwner): string {
  const { _meta, ...asked } = params
  return canonicalJson([principal.id, profile, method, asked])
}
