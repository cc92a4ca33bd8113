import { RollcallError } from '@rollcall/plugin'

const limit = 8
const queueLimit = 64

/** Bounds the calls that run at one provider, and deals its places out fairly. */
export interface ProviderSlots {
  /**
   * Waits for a place. @returns what gives it back.
   * @throws {RollcallError} `BUSY` when 64 calls wait already; the reason of the signal when it aborts.
   */
  take(appId: string, principal: string, signal: AbortSignal): Promise<() => void>
  /** Whether a call runs or waits at this provider. */
  isBusy(appId: string): boolean
  /** Resolves when the calls that run or wait now, at this provider or at all, have ended; later ones don't count. */
  idle(appId?: string): Promise<void>
}

interface Waiting {
  readonly principal: string
  grant(): void
  /** Takes it out of the line. */
  refuse(reason: unknown): void
}

interface Place {
  readonly running: Map<string, number>
  readonly waiting: Waiting[]
  /** One for each call that runs or waits. */
  readonly present: Set<Promise<void>>
  total: number
  lastServed: string
}

/** Eight calls a provider, 64 in its queue; while others wait, a principal holds at most half, and turns go round. */
export function createProviderSlots(): ProviderSlots {
  const places = new Map<string, Place>()
  const placeOf = (appId: string): Place => {
    const place = places.get(appId) ?? { running: new Map(), waiting: [], present: new Set(), total: 0, lastServed: '' }
    places.set(appId, place)
    return place
  }

  /** Counts a call as present. @returns what it does when it goes. */
  const enter = (appId: string, place: Place) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    place.present.add(promise)
    return () => {
      if (!place.present.delete(promise)) return
      if (place.present.size === 0) places.delete(appId)
      resolve()
    }
  }

  return {
    async take(appId, principal, signal) {
      signal.throwIfAborted()
      const place = placeOf(appId)
      const isFull = place.total >= limit || place.waiting.length > 0
      if (isFull && place.waiting.length >= queueLimit && !makeRoom(place, principal, appId)) throw busy(appId)
      const leave = enter(appId, place)
      try {
        if (isFull) await queued(place, principal, signal)
        else begin(place, principal)
      } catch (reason) {
        leave()
        throw reason
      }
      let released = false
      return () => {
        if (released) return
        released = true
        end(place, principal)
        deal(place)
        leave()
      }
    },
    isBusy: (appId) => places.has(appId),
    async idle(appId) {
      const asked = appId === undefined ? [...places.values()] : [places.get(appId)]
      await Promise.all(asked.flatMap((place) => [...(place?.present ?? [])]))
    },
  }
}

function queued(place: Place, principal: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (reason: unknown) => {
      signal.removeEventListener('abort', leave)
      const at = place.waiting.indexOf(waiting)
      if (at !== -1) place.waiting.splice(at, 1)
      reject(reason)
    }
    const leave = () => refuse(signal.reason)
    const waiting: Waiting = {
      principal,
      refuse,
      grant() {
        signal.removeEventListener('abort', leave)
        resolve()
      },
    }
    signal.addEventListener('abort', leave, { once: true })
    place.waiting.push(waiting)
    deal(place)
  })
}

/** Where one principal holds more than half of the line, its youngest call leaves it to somebody else. */
function makeRoom(place: Place, principal: string, appId: string): boolean {
  const count = (of: string) => place.waiting.filter((one) => one.principal === of).length
  const youngest = place.waiting.findLast((one) => one.principal !== principal && count(one.principal) > queueLimit / 2)
  if (youngest === undefined || count(principal) >= queueLimit / 2) return false
  youngest.refuse(busy(appId))
  return true
}

function deal(place: Place): void {
  while (place.total < limit && place.waiting.length > 0) {
    const next = choose(place)
    if (next === undefined) return
    place.waiting.splice(place.waiting.indexOf(next), 1)
    begin(place, next.principal)
    next.grant()
  }
}

/** The first of those who hold least, after the one served last; nobody above half while others wait. */
function choose(place: Place): Waiting | undefined {
  const principals = [...new Set(place.waiting.map(({ principal }) => principal))]
  const held = (principal: string) => place.running.get(principal) ?? 0
  const othersWait = principals.length > 1
  const eligible = principals.filter((principal) => !othersWait || held(principal) < limit / 2)
  const turn = (principal: string) => (principal === place.lastServed ? 1 : 0)
  eligible.sort((a, b) => held(a) - held(b) || turn(a) - turn(b))
  return place.waiting.find(({ principal }) => principal === eligible[0])
}

function begin(place: Place, principal: string): void {
  place.total++
  place.running.set(principal, (place.running.get(principal) ?? 0) + 1)
  place.lastServed = principal
}

function end(place: Place, principal: string): void {
  place.total--
  const left = (place.running.get(principal) ?? 1) - 1
  if (left === 0) place.running.delete(principal)
  else place.running.set(principal, left)
}

function busy(appId: string): RollcallError {
  return new RollcallError('BUSY', `${queueLimit} calls wait for ${appId} already.`, { hint: 'Repeat the call later.' })
}
