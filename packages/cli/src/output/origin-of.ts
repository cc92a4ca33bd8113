import type { Pending } from '@rollcall/host'

type Waiting = Extract<Pending, { kind: 'approval' }>

/** What a card says of where a call comes from, and of why a person is asked about this one. */
export function originOf(
  { taint, client, asked }: Waiting,
  who: string,
  profile: string,
): { readonly origin: string; readonly why?: string } {
  const from = taint.origins.length === 0 ? '' : ` from ${taint.origins.slice(0, 3).join(', ')}`
  const read = taint.dataClass === undefined ? 'no taint' : `has read ${taint.dataClass}${from}`
  return {
    origin: [who, ...(client === undefined ? [] : [client]), `profile ${profile}`, read].join(' · '),
    ...(asked.decidedBy === 'approval' ? {} : { why: asked.why }),
  }
}
