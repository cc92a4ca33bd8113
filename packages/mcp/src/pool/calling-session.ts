import type { CallerPort, ProviderCall } from '@rollcall/host'

/** Who makes a request, as far as a connection has to tell its users apart. */
export interface CallingSession {
  /** The same for all requests of one session, and different for any two principals. */
  readonly id: string
  readonly principal: string
  /** Absent: nothing can be asked of it, and it hears nothing. */
  readonly caller?: CallerPort
  /** Aborted when the session is over; absent where there is none. */
  readonly ended?: AbortSignal
}

// Whoever calls without a session is told apart by the port that answers for it.
const ports = new WeakMap<CallerPort, string>()
let portsSeen = 0

/** The session from which a call comes; a call without one stands for its principal, or for its own port. */
export function callingSessionOf(call: Pick<ProviderCall, 'principal' | 'client' | 'caller'>): CallingSession {
  const { principal, client, caller } = call
  const place = client === undefined ? portOf(caller) : `session ${client.session}`
  const ended = client?.ended ?? caller?.ended
  return {
    id: JSON.stringify([principal.id, place]),
    principal: principal.id,
    ...(caller !== undefined && { caller }),
    ...(ended !== undefined && { ended }),
  }
}

function portOf(caller: CallerPort | undefined): string {
  if (caller === undefined) return ''
  const known = ports.get(caller)
  if (known !== undefined) return known
  portsSeen += 1
  const port = `port ${portsSeen}`
  ports.set(caller, port)
  return port
}
