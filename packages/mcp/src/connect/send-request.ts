import type { ProviderCall } from '@rollcall/host'
import { isRollcallError, type Json, type JsonObject, RollcallError, visibleText } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import type { PeerAnswer } from '../peer/mcp-peer.ts'
import type { Work } from '../pool/shared-connection.ts'

/** How a request of the stateless revision says which log messages it wants to hear. */
const logLevelKey = 'io.modelcontextprotocol/logLevel'

/** The error of a server that wants its caller to go to an address first. */
const sentAway = -32_042

/** What is sent, and how long it may take. */
export interface Sent {
  /** What it is about, for messages. */
  readonly about: string
  readonly method: string
  readonly params: JsonObject
  /** Milliseconds in all, however much progress is reported. */
  readonly maxTotalTimeoutMs: number
}

/**
 * Sends one request of a caller: under its limits, with its cancel, progress and `_meta`, and with somebody who answers
 * what the server asks meanwhile.
 *
 * @throws {RollcallError} `TOOL_OUTCOME_UNKNOWN` when it was sent and its end is not known; `SERVER_UNAVAILABLE` or
 * `SERVER_TIMEOUT` when nothing was sent; `SERVER_PROTOCOL` for an answer that is none.
 */
export async function sendRequest(
  work: Work,
  call: Pick<ProviderCall, 'signal' | 'timeoutMs' | 'progress' | 'meta' | 'effect'>,
  { about, method, params, maxTotalTimeoutMs }: Sent,
): Promise<PeerAnswer> {
  const { peer, ears, logLevel } = work
  // A stateless client names its level with each request; a session has set it, where that is possible.
  const { [logLevelKey]: named, ...own } = call.meta ?? {}
  const level = peer.era === 'stateless' ? (named ?? logLevel) : undefined
  const meta = { ...own, ...(level !== undefined && { [logLevelKey]: level }) }
  try {
    const answer = await peer.request(method, params, {
      ...ears,
      signal: call.signal,
      timeoutMs: call.timeoutMs,
      maxTotalTimeoutMs,
      onProgress: (note) => pass(note, call),
      repeatable: call.effect === 'read',
      ...(Object.keys(meta).length > 0 && { meta }),
    })
    if (!answer.ok && answer.error.code === sentAway) for (const id of idsIn(answer.error.data)) work.onSentAway(id)
    return answer
  } catch (error) {
    throw isRollcallError(error) && error.code !== 'SERVER_PROTOCOL' && error.data?.sent === true
      ? unknownEnd(about, error)
      : error
  }
}

/** The ids of the addresses to which the caller has to go first. */
function idsIn(data: Json | undefined): readonly string[] {
  const elicitations = isJsonObject(data) && Array.isArray(data.elicitations) ? data.elicitations : []
  return elicitations.flatMap((each) =>
    isJsonObject(each) && typeof each.elicitationId === 'string' ? [each.elicitationId] : [],
  )
}

function pass({ progress, total, message }: JsonObject, call: Pick<ProviderCall, 'progress'>): void {
  if (typeof progress !== 'number') return
  call.progress(
    progress,
    typeof total === 'number' ? total : undefined,
    typeof message === 'string' ? message : undefined,
  )
}

function unknownEnd(about: string, reason: RollcallError): RollcallError {
  const exitCode = reason.data?.exitCode
  return new RollcallError('TOOL_OUTCOME_UNKNOWN', `The end of ${visibleText(about)} is not known: ${reason.message}`, {
    hint: 'Look at the target before you repeat it.',
    data: { reason: reason.code, ...(exitCode !== undefined && { exitCode }) },
    cause: reason,
  })
}
