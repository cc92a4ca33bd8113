/** A message as it was or will be sent over an event stream. */
export interface LoggedEvent {
  readonly id: string
  readonly data: string
}

/** What was said over one event stream of a session. */
export interface StreamLog {
  readonly stream: number
  /** An id by which a client can come back that has read no message yet. */
  firstId(): string
  add(data: string): LoggedEvent
}

/** The latest events of one session: a client whose stream broke off learns what it missed. */
export interface EventLog {
  open(): StreamLog
  /** What was said after an event; `undefined` for an id that was never given, or where something in between is lost. */
  after(lastId: string): { readonly stream: number; readonly missed: readonly LoggedEvent[] } | undefined
}

interface Entry extends LoggedEvent {
  readonly stream: number
  readonly number: number
}

const maxEvents = 500
const maxCharacters = 2_000_000
const maxStreams = 200

/** Keeps 500 events, and 2,000,000 characters of them; the latest event is kept whatever its size. */
export function createEventLog(): EventLog {
  const entries: Entry[] = []
  /** The last event of a stream that is not kept any more; 0: all are kept. */
  const lost = new Map<number, number>()
  let characters = 0
  let lastStream = 0
  let lastNumber = 0

  function forgetOldest(): void {
    const oldest = entries.shift()
    if (oldest === undefined) return
    characters -= oldest.data.length
    if (lost.has(oldest.stream)) lost.set(oldest.stream, oldest.number)
  }

  return {
    open() {
      lastStream += 1
      const stream = lastStream
      lost.set(stream, 0)
      const [first] = lost.keys()
      if (lost.size > maxStreams && first !== undefined) lost.delete(first)
      return {
        stream,
        firstId: () => idOf(stream, lastNumber),
        add(data) {
          lastNumber += 1
          const entry = { stream, number: lastNumber, id: idOf(stream, lastNumber), data }
          entries.push(entry)
          characters += data.length
          while (entries.length > 1 && (entries.length > maxEvents || characters > maxCharacters)) forgetOldest()
          return entry
        },
      }
    },
    after(lastId) {
      const [, stream = 0, number = 0] = /^(\d{1,9})_(\d{1,9})$/.exec(lastId)?.map(Number) ?? []
      const lostUpTo = lost.get(stream)
      if (lostUpTo === undefined || number < lostUpTo || number > lastNumber) return undefined
      return { stream, missed: entries.filter((entry) => entry.stream === stream && entry.number > number) }
    },
  }
}

function idOf(stream: number, number: number): string {
  return `${stream}_${number}`
}
