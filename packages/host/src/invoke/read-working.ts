import type { Json, JsonObject, Principal } from '@rollcall/plugin'
import type { Store, StreamId } from '../store/store.ts'
import type { WorkingCall } from './call-record.ts'

/** What is kept of a waiting call, or `undefined` when it is over or can't be read. */
export async function readWorking(store: Store, stream: StreamId): Promise<WorkingCall | undefined> {
  const working = await store.working(stream)
  return isWorking(working) ? working : undefined
}

// Written by this program or one of its versions; anything else is not trusted to be run.
function isWorking(value: Json | undefined): value is Json & WorkingCall {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const working = value as Partial<Record<keyof WorkingCall, Json>>
  return (
    typeof working.tool === 'string' &&
    typeof working.args === 'string' &&
    typeof working.profile === 'string' &&
    isTexts(working.preview) &&
    // Absent would read as "allows all".
    (working.allow === null || isTexts(working.allow)) &&
    isPrincipal(working.principal) &&
    isAbout(working)
  )
}

/** What is for the person's eyes. An older program wrote none of it. */
function isAbout({ asked, once, taint, client, form }: Partial<Record<keyof WorkingCall, Json>>): boolean {
  return (
    (form === undefined || isRecord(form)) &&
    (asked === undefined || hasTexts(asked, 'decidedBy', 'why')) &&
    (once === undefined || once === null || typeof once === 'string') &&
    (taint === undefined || (isRecord(taint) && isTexts(taint.origins) && isNullOrText(taint.dataClass))) &&
    (client === undefined || client === null || hasTexts(client, 'name', 'session'))
  )
}

function isRecord(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isNullOrText(value: Json | undefined): boolean {
  return value === null || typeof value === 'string'
}

function hasTexts(value: Json, ...keys: readonly string[]): boolean {
  return isRecord(value) && keys.every((key) => typeof value[key] === 'string')
}

function isPrincipal(value: Json | undefined): value is Json & Principal {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { kind, id, person, admin, scopes } = value as { readonly [key: string]: Json }
  return (
    (kind === 'user' || kind === 'service') &&
    typeof id === 'string' &&
    typeof person === 'string' &&
    typeof admin === 'boolean' &&
    isTexts(scopes)
  )
}

function isTexts(value: Json | undefined): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === 'string')
}
