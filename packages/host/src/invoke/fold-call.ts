import type { ArgumentsDigest } from '../gate/arguments-digest.ts'
import type { StoredEvent } from '../store/store.ts'
import type { CallEvent } from './call-event.ts'

type Of<T extends CallEvent['type']> = Extract<CallEvent, { type: T }>

/** Where a call stands, read off its events and stored nowhere else. */
export interface CallState {
  /** Number of events read: what the next append expects. */
  readonly length: number
  readonly proposed?: Of<'call.proposed'>
  /** The digest of the arguments, with what a person has added. */
  readonly args?: ArgumentsDigest
  /** The last question; a stale approval asks again. */
  readonly asked?: Of<'call.asked'> & { readonly at: number }
  /** The answer to the last question. */
  readonly answered?: Of<'call.answered'> & { readonly at: number }
  /** The last start; a person who has it repeated takes it back. */
  readonly started?: Of<'call.started'>
  readonly ended?: Of<'call.ended'>
  /** Milliseconds since the epoch. */
  readonly endedAt?: number
  /** An event that this program doesn't know: whatever it means, nothing is executed. */
  readonly strange?: true
}

/** Folds the events of one call. */
export function foldCall(events: readonly StoredEvent<CallEvent>[]): CallState {
  return events.reduce<CallState>((state, stored) => ({ ...next(state, stored), length: stored.sequence }), {
    length: 0,
  })
}

function next(state: CallState, { event, at }: StoredEvent<CallEvent>): CallState {
  switch (event.type) {
    case 'call.proposed':
      return { ...state, proposed: event, args: event.args }
    case 'call.gated':
      return state
    case 'call.asked': {
      const { answered: _superseded, started: _takenBack, ...rest } = state
      return { ...rest, asked: { ...event, at } }
    }
    case 'call.answered': {
      const { started, ...before } = state
      const rest = event.args === undefined ? before : { ...before, args: event.args }
      const answered = { ...event, at }
      return event.answer === 'retry' || started === undefined ? { ...rest, answered } : { ...rest, started, answered }
    }
    case 'call.started':
      return { ...state, started: event }
    case 'call.ended':
      return { ...state, ended: event, endedAt: at }
    default:
      return { ...state, strange: true }
  }
}
