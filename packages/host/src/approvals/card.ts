import { canonicalJson, type Json, oneLine } from '@rollcall/plugin'
import type { Pending } from '../invoke/outcome.ts'
import { approvalCode } from './approval-code.ts'

/** A call that waits for a yes or a no. */
export type WaitingCall = Extract<Pending, { kind: 'approval' }>

/** One line of a card: all of it is shown as text, and what hides or moves something in it is an escape. */
export type CardRow = readonly [label: string, text: string]

/** What a person decides on, the same in every face; a face only lays it out. */
export interface Card {
  readonly tool: string
  /** Four characters that a person types to approve from elsewhere. */
  readonly code: string
  /** The canonical arguments: what is executed. */
  readonly args: readonly CardRow[]
  /** What the plugin says about them, why a person is asked, and where the call comes from. */
  readonly about: readonly CardRow[]
  /** Over 4 KB: approving is locked until everything was shown. */
  readonly isLong: boolean
}

/** Bytes of arguments and preview up to which a card counts as read at once. */
const longBytes = 4_096
/** Equal blanks in a row that are counted instead of shown. */
const blankRun = /(?:[ \p{Zs}]|\\n|\\r|\\t){4,}/gu
const shownOrigins = 3

/**
 * The card of a waiting call: canonical arguments first, then what the plugin says about them, then the origin and what
 * its caller had read. Every character that hides or moves something is an escape, runs of blanks are counted.
 *
 * @param from who asks, in words, and under which profile
 */
export function approvalCard(call: WaitingCall, from: { readonly who: string; readonly profile: string }): Card {
  const { tool, args, preview, asked } = call
  return {
    tool: shownText(tool),
    code: approvalCode(call.binds),
    args: argumentRows(args),
    about: [
      ...preview.map((line, at): CardRow => [at === 0 ? 'the plugin says' : '', shownText(line)]),
      ...(asked.decidedBy === 'approval' ? [] : [['asked because', shownText(asked.why)] as const]),
      ['origin', shownText(originOf(call, from))],
    ],
    isLong: Buffer.byteLength(canonicalJson(args)) + Buffer.byteLength(preview.join('\n')) > longBytes,
  }
}

/** A foreign text as a card shows it: on one line, what hides as escapes, runs of four blanks or more as their number. */
export function shownText(text: string): string {
  return oneLine(text).replace(blankRun, (run) => `⟨${run.replace(/\\[nrt]/g, ' ').length} blanks⟩`)
}

/** Canonical arguments as a card shows them. */
export function argumentRows(args: Json): readonly CardRow[] {
  const shown = (value: Json) => shownText(canonicalJson(value))
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return [['arguments', shown(args)]]
  const entries = Object.entries(args).toSorted(([a], [b]) => (a < b ? -1 : 1))
  if (entries.length === 0) return [['arguments', 'none']]
  return entries.map(([key, value]): CardRow => [shownText(key), shown(value)])
}

function originOf({ taint, client }: WaitingCall, { who, profile }: { who: string; profile: string }): string {
  const from = taint.origins.length === 0 ? '' : ` from ${taint.origins.slice(0, shownOrigins).join(', ')}`
  const read = taint.dataClass === undefined ? 'no taint' : `has read ${taint.dataClass}${from}`
  return [who, ...(client === undefined ? [] : [client]), `profile ${profile}`, read].join(' · ')
}
