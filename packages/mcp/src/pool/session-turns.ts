import { RollcallError } from '@rollcall/plugin'

/** One session's permission to work with an instance, shared by all calls that it makes meanwhile. */
export interface Turn<T> {
  readonly instance: T
  /**
   * The call is over; with its last call a session's turn is.
   *
   * @param isAbandoned nobody waits for its answer any more, but the server may go on: what it asks later must not reach
   * another session, so the instance stays with this one.
   */
  leave(isAbandoned?: boolean): void
}

/** How turns are taken. */
export interface TurnOptions<T> {
  /** Whose instances they are, for messages. */
  readonly name: string
  /** Milliseconds after which a session that waits gets an instance of its own. */
  readonly waitMs: number
  /** Calls of one session that may wait. */
  readonly maxWaiting: number
  /** Makes another instance. @throws {RollcallError} `BUSY` when there may be no more. */
  readonly add: () => T
}

interface Place<T> {
  readonly instance: T
  holder: string | undefined
  running: number
  /** The only session that may have it, until it is started anew. */
  keptFor: string | undefined
}

interface Waiting<T> {
  readonly enter: (place: Place<T>) => void
  readonly refuse: (reason: unknown) => void
}

/**
 * Lets one session at a time work with an instance, so that whatever the server asks meanwhile is asked of that session.
 * Sessions are served in the order in which they came; one that waits too long gets another instance.
 */
export class SessionTurns<T> {
  readonly #options: TurnOptions<T>
  readonly #places: Place<T>[] = []
  // A map keeps the order in which sessions came, which is whose turn it is.
  readonly #lines = new Map<string, Waiting<T>[]>()

  constructor(options: TurnOptions<T>) {
    this.#options = options
  }

  /**
   * Waits for the turn of a session. A session that has it works on, unless others wait.
   *
   * @throws {RollcallError} `BUSY` when too many calls wait or there may be no more instances; `SERVER_UNAVAILABLE` when
   * the signal aborts first.
   */
  take(session: string, signal: AbortSignal): Promise<Turn<T>> {
    if (signal.aborted) return Promise.reject(this.#left())
    const line = this.#line(session)
    if (line.length >= this.#options.maxWaiting) return Promise.reject(this.#full())
    return new Promise((resolve, reject) => {
      const leave = () => waiting.refuse(this.#left())
      const timer = setTimeout(() => this.#widen(session, [waiting]), this.#options.waitMs)
      const settle = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
      }
      const waiting: Waiting<T> = {
        enter: (place) => {
          settle()
          resolve(this.#enter(place, session))
        },
        refuse: (reason) => {
          settle()
          this.#remove(session, waiting)
          reject(reason)
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      line.push(waiting)
      this.#serve()
    })
  }

  /** The session that an instance is kept for, because something of it was abandoned. */
  keptFor(instance: T): string | undefined {
    return this.#placeOf(instance)?.keptFor
  }

  /** A session has the turn with it. */
  isHeld(instance: T): boolean {
    return this.#placeOf(instance)?.holder !== undefined
  }

  /** It was started anew: nothing of what was abandoned is left in it. */
  renew(instance: T): void {
    const place = this.#placeOf(instance)
    if (place === undefined) return
    place.keptFor = undefined
    this.#serve()
  }

  /** It is no more; who works with it finishes. */
  remove(instance: T): void {
    const at = this.#places.findIndex((place) => place.instance === instance)
    if (at === -1) return
    this.#places.splice(at, 1)
    this.#serve()
  }

  #serve(): void {
    let isFirst = true
    for (const [session, line] of [...this.#lines]) {
      const place = this.#placeFor(session, isFirst)
      if (place !== undefined) this.#admit(session, place)
      // Where no place will ever come free, waiting for one is in vain.
      else if (!this.#places.some((each) => isFor(each, session))) this.#widen(session, line)
      else isFirst = false
    }
  }

  #placeFor(session: string, isFirst: boolean): Place<T> | undefined {
    const free = this.#places.filter((place) => place.holder === undefined && isFor(place, session))
    const own = isFirst ? this.#places.find(({ holder }) => holder === session) : undefined
    return own ?? free.find(({ keptFor }) => keptFor === session) ?? free[0]
  }

  #enter(place: Place<T>, session: string): Turn<T> {
    place.holder = session
    place.running += 1
    let isOver = false
    return {
      instance: place.instance,
      leave: (isAbandoned = false) => {
        if (isOver) return
        isOver = true
        if (isAbandoned) place.keptFor = session
        place.running -= 1
        if (place.running > 0) return
        place.holder = undefined
        this.#serve()
      },
    }
  }

  #widen(session: string, asking: readonly Waiting<T>[]): void {
    const line = this.#lines.get(session) ?? []
    // Making room for it may bring other places free, and this line is being served already.
    this.#lines.delete(session)
    try {
      const place: Place<T> = { instance: this.#options.add(), holder: undefined, running: 0, keptFor: undefined }
      this.#places.push(place)
      for (const waiting of line) waiting.enter(place)
    } catch (reason) {
      const rest = line.filter((waiting) => !asking.includes(waiting))
      if (rest.length > 0) this.#lines.set(session, rest)
      for (const waiting of asking) waiting.refuse(reason)
    }
  }

  #admit(session: string, place: Place<T>): void {
    const line = this.#lines.get(session) ?? []
    this.#lines.delete(session)
    for (const waiting of line) waiting.enter(place)
  }

  #placeOf(instance: T): Place<T> | undefined {
    return this.#places.find((place) => place.instance === instance)
  }

  #line(session: string): Waiting<T>[] {
    const known = this.#lines.get(session)
    if (known !== undefined) return known
    const line: Waiting<T>[] = []
    this.#lines.set(session, line)
    return line
  }

  #remove(session: string, waiting: Waiting<T>): void {
    const line = this.#lines.get(session)
    const at = line?.indexOf(waiting) ?? -1
    if (line === undefined || at === -1) return
    line.splice(at, 1)
    if (line.length === 0) this.#lines.delete(session)
    this.#serve()
  }

  #full(): RollcallError {
    const { name, maxWaiting } = this.#options
    return new RollcallError('BUSY', `${maxWaiting} calls of one session wait for ${name} already; nothing was sent.`, {
      hint: 'Repeat it later.',
    })
  }

  #left(): RollcallError {
    return new RollcallError(
      'SERVER_UNAVAILABLE',
      `The call to ${this.#options.name} was cancelled before it was sent.`,
      {
        hint: 'Nothing was sent.',
      },
    )
  }
}

function isFor<T>({ keptFor }: Place<T>, session: string): boolean {
  return keptFor === undefined || keptFor === session
}
