import { createHmac, type KeyObject, randomUUID } from 'node:crypto'
import { type DataClassName, type Json, type JsonSchema, type Principal, redactSecrets } from '@rollcall/plugin'
import type { ContentOf } from '../audit/content-book.ts'
import type { CatalogueEntry } from '../catalogue/catalogue.ts'
import type { ArgumentsDigest } from '../gate/arguments-digest.ts'
import type { GateSubject, Verdict } from '../gate/gate.ts'
import type { Grant } from '../gate/grant.ts'
import type { Profile } from '../gate/profile.ts'
import type { Taint } from '../gate/taint.ts'
import type { Store, StoredEvent, StreamId } from '../store/store.ts'
import type { CallEvent } from './call-event.ts'
import { type CallState, foldCall } from './fold-call.ts'
import type { CallRef } from './outcome.ts'
import type { CallOptions, Recorder } from './runtime.ts'

// Longer than any name of a catalogue: a client may ask for anything, and all of it would be kept.
const maxToolLength = 256

/** What is kept of a call that isn't over; emptied by its last event. */
export interface WorkingCall {
  readonly tool: string
  readonly args: string
  readonly preview: readonly string[]
  readonly principal: Principal
  readonly profile: string
  readonly allow: readonly string[] | null
  /** Why a person is asked. Absent, as what follows, where an older program wrote it. */
  readonly asked?: { readonly decidedBy: string; readonly why: string }
  /** Why a yes is good for this call alone; null: it may be good for a while. */
  readonly once?: string | null
  /** What the caller had read before. */
  readonly taint?: { readonly dataClass: DataClassName | null; readonly origins: readonly string[] }
  readonly client?: { readonly name: string; readonly session: string } | null
  /** The schema of what a person is asked for, while it is. */
  readonly form?: JsonSchema
}

/** The journal of one call. */
export interface CallRecord {
  readonly stream: StreamId
  readonly callId: string
  append(
    expectedLength: number,
    events: readonly CallEvent[],
    head: { status: string; dueAt?: number },
    working?: WorkingCall,
  ): Promise<'appended' | 'conflict'>
}

/**
 * A fresh id: a UUID of version 7, so that calls of one time lie beside each other in a store. Its last twelve digits are
 * chance alone.
 *
 * @param now milliseconds since the epoch
 * @see RFC 9562, section 5.7
 */
export function newCallId(now: number): string {
  const time = now.toString(16).padStart(12, '0').slice(-12)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/** The journal of a lone call: a stream of its own, guarded by its length. Of a call in a run: the run's recorder. */
export function openRecord(store: Store, callId: string, principal: string, run?: CallOptions['run']): CallRecord {
  if (run !== undefined) return inRun(run.recorder, callId)
  const stream = streamOf(callId)
  return {
    stream,
    callId,
    append: (expectedLength, events, head, working) =>
      store.append(stream, expectedLength, events, { principal, ...head }, working as Json | undefined),
  }
}

function inRun(recorder: Recorder, callId: string): CallRecord {
  return { stream: recorder.stream, callId, append: (_expectedLength, events) => recorder.append(events) }
}

/** Reads a lone call back. A reference whose two halves name different calls has no record. */
export async function readCall(store: Store, { stream, callId }: CallRef): Promise<CallState> {
  const events: StoredEvent<CallEvent>[] = []
  if (stream === streamOf(callId))
    for await (const event of store.read(stream)) events.push(event as StoredEvent<CallEvent>)
  return foldCall(events)
}

/** Whose call it is, for what is kept beside its journal. */
export function ownerOf({ stream, callId }: CallRecord, { principal }: Pick<CallOptions, 'principal'>): ContentOf {
  return { stream, callId, principal: principal.id }
}

function streamOf(callId: string): StreamId {
  return `call/${callId}`
}

/** What is recorded of whatever is asked for. */
export type RecordedEntry = Pick<CatalogueEntry, 'original' | 'appId' | 'digest' | 'traits'>

/** The first event of a call. An unknown tool is recorded with the strictest words. */
export function proposed(
  callId: string,
  tool: string,
  entry: RecordedEntry | undefined,
  args: ArgumentsDigest,
  who: {
    readonly principal: Principal
    readonly profile: Profile
    readonly subject?: Exclude<GateSubject['kind'], 'tool'>
  },
): CallEvent {
  return {
    type: 'call.proposed',
    callId,
    // Anybody may ask for anything, and all of it is kept.
    tool: redactSecrets(tool.slice(0, maxToolLength)),
    ...(who.subject === undefined ? {} : { subject: who.subject }),
    original: redactSecrets(entry?.original ?? ''),
    appId: entry?.appId ?? '',
    ...(entry === undefined ? {} : { definition: entry.digest }),
    args,
    principal: who.principal.id,
    profile: who.profile.name,
    effect: entry?.traits.effect ?? 'write',
    dataClass: entry?.traits.dataClass ?? 'secretAdjacent',
    zone: who.profile.zone,
  }
}

/** The second event of a call: what the gate said. */
export function gated(
  callId: string,
  verdict: Verdict,
  by: { readonly taint?: Taint | undefined; readonly grant?: Grant | undefined } = {},
): CallEvent {
  const why = verdict.votes.find(({ rule }) => rule === verdict.decidedBy)?.why ?? ''
  return {
    type: 'call.gated',
    callId,
    verdict: verdict.verdict,
    decidedBy: verdict.decidedBy,
    why,
    ...(by.taint === undefined ? {} : { taint: by.taint }),
    ...(by.grant === undefined ? {} : { grant: by.grant.id }),
  }
}

/** The keyed digest of canonical arguments. */
export function digestArguments(canonical: string, key: KeyObject): ArgumentsDigest {
  return `hmac:${createHmac('sha256', key).update(canonical).digest('hex')}`
}
