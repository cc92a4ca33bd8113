import { setTimeout as sleep } from 'node:timers/promises'
import { type Json, type JsonObject, RollcallError, visibleText } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import { clientInfo, envelopeOf, statelessVersion } from './envelope.ts'
import type { StatelessTransport } from './stateless-transport.ts'

/** A server that is silent for so long may wait for the first word of the older revisions. */
const silence = { mostMs: 5_000, partOfLimit: 0.25 }

/** A server that does not speak the revision of a request says so, and which ones it does. */
const unsupportedVersion = -32_022

const lastSessionVersion = '2025-11-25'

/** What a server says about itself. */
export interface Discovered extends JsonObject {
  readonly supportedVersions: readonly Json[]
  readonly capabilities: JsonObject
}

/** How a server is asked. */
export interface DiscoverOptions {
  readonly name: string
  readonly clientCapabilities: JsonObject
  /** Also asks in the way of the older revisions when nothing else brings an answer. */
  readonly askBothWays: boolean
  /** Milliseconds for the whole connection. */
  readonly connectTimeoutMs: number
}

/**
 * Asks a server whether it speaks the stateless revision. @returns what it says of itself, or why it does not.
 *
 * @throws {RollcallError} when it can not be reached, or leaves.
 */
export async function discover(
  transport: StatelessTransport,
  options: DiscoverOptions,
): Promise<Discovered | RollcallError> {
  const { name, clientCapabilities, askBothWays, connectTimeoutMs } = options
  const silentMs = Math.min(silence.mostMs, connectTimeoutMs * silence.partOfLimit)
  const ending = new AbortController()
  const asked = ask(transport, clientCapabilities)
  try {
    const older = askBothWays ? askOlder(transport, clientCapabilities, silentMs, ending.signal) : never
    return await Promise.race([
      asked.then((answer) => judge(name, answer)),
      older.then(() => otherEra(name, 'it waits for "initialize"')),
    ])
  } finally {
    ending.abort()
  }
}

/** The reason why a server is spoken to in the older revisions. */
export function otherEra(name: string, why: string): RollcallError {
  const message = `${name} does not speak the revision ${statelessVersion} of the protocol: ${why}.`
  return new RollcallError('SERVER_PROTOCOL', message, {
    hint: `Set "providers.${name}.protocol" to "auto" or "session", then run "rollcall sync ${name}".`,
  })
}

const never = new Promise<never>(() => {})

/** One that refuses the revision, but names it among those that it speaks, is asked once more. */
async function ask(transport: StatelessTransport, clientCapabilities: JsonObject): Promise<JsonObject> {
  const params = { _meta: envelopeOf(clientCapabilities) }
  const answer = await transport.ask('rollcall:discover', 'server/discover', params)
  const { code, data } = isJsonObject(answer.error) ? answer.error : {}
  const supported = isJsonObject(data) && Array.isArray(data.supported) ? data.supported : []
  const isMistaken = code === unsupportedVersion && supported.includes(statelessVersion)
  return isMistaken ? transport.ask('rollcall:discover-again', 'server/discover', params) : answer
}

function judge(name: string, { result, error }: JsonObject): Discovered | RollcallError {
  if (isDiscovered(result)) {
    const { supportedVersions } = result
    if (supportedVersions.includes(statelessVersion)) return result
    return otherEra(name, `it speaks ${visibleText(supportedVersions.join(', ')).slice(0, 200)}`)
  }
  const code = isJsonObject(error) && typeof error.code === 'number' ? ` ${error.code}` : ''
  return otherEra(name, error === undefined ? 'it answered with something else' : `it answered with the error${code}`)
}

function isDiscovered(result: Json | undefined): result is Discovered {
  return isJsonObject(result) && Array.isArray(result.supportedVersions) && isJsonObject(result.capabilities)
}

/** An answer in the way of the older revisions, if that is the only way to get one. Never rejects. */
async function askOlder(
  transport: StatelessTransport,
  capabilities: JsonObject,
  silentMs: number,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    await sleep(silentMs, undefined, { signal, ref: false })
    return await transport.ask('rollcall:initialize', 'initialize', {
      protocolVersion: lastSessionVersion,
      capabilities,
      clientInfo,
    })
  } catch {
    return never
  }
}
