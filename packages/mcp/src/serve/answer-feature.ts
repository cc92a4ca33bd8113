import type { CallOptions, FeatureOutcome, Host } from '@rollcall/host'
import type { JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import { ownMetaPrefix, withForeignMeta } from '../own-meta.ts'
import { internalError, invalidParams, RpcError, resourceNotFound } from './rpc-error.ts'
import type { ServedNames } from './served-names.ts'
import { isLogLevel, logLevels } from './session/log-filter.ts'
import { shownText } from './shown-text.ts'

/** Who asks a server for something that is no tool, and by which names. */
export interface Asker {
  readonly host: Host
  readonly names: ServedNames
  readonly options: CallOptions
}

/** Serves `prompts/get`. @throws {RpcError} −32602 for unknown, forbidden and held prompts alike. */
export async function getPrompt({ host, names, options }: Asker, params: JsonObject): Promise<JsonObject> {
  const name = textOf(params, 'name', 'prompts/get')
  const args = params.arguments ?? {}
  if (!isJsonObject(args)) throw new RpcError(invalidParams, 'prompts/get needs params.arguments to be an object.')
  const hostName = names.hostPrompt(name, host.features.list(options).prompts)
  return resultOf(names, await host.features.getPrompt(hostName, args, options), () => unknownPrompt(name))
}

/** Serves `resources/read`. @throws {RpcError} −32002 for unknown, forbidden and held resources alike. */
export async function readResource({ host, names, options }: Asker, params: JsonObject): Promise<JsonObject> {
  const uri = textOf(params, 'uri', 'resources/read')
  const outcome = await host.features.readResource(names.hostUri(uri), options)
  return names.shownAddresses(resultOf(names, outcome, () => unknownResource(uri)))
}

/** Serves `resources/subscribe` and `resources/unsubscribe`. @throws {RpcError} as `readResource`. */
export async function subscribe(
  { host, names, options }: Asker,
  method: 'subscribe' | 'unsubscribe',
  params: JsonObject,
): Promise<JsonObject> {
  const uri = textOf(params, 'uri', `resources/${method}`)
  const outcome = await host.features[method](names.hostUri(uri), options)
  return resultOf(names, outcome, () => unknownResource(uri))
}

/** Serves `completion/complete`. @throws {RpcError} −32602 for whatever the client may not know of. */
export async function complete({ host, names, options }: Asker, params: JsonObject): Promise<JsonObject> {
  const { ref } = params
  if (!isJsonObject(ref) || !isJsonObject(params.argument)) {
    throw new RpcError(invalidParams, 'completion/complete needs params.ref and params.argument, objects.')
  }
  if (ref.type === 'ref/prompt') {
    const name = textOf(ref, 'name', 'completion/complete')
    const hostRef = { ...ref, name: names.hostPrompt(name, host.features.list(options).prompts) }
    return resultOf(names, await host.features.complete({ ...params, ref: hostRef }, options), () =>
      unknownPrompt(name),
    )
  }
  if (ref.type !== 'ref/resource') {
    throw new RpcError(invalidParams, 'completion/complete needs params.ref.type, ref/prompt or ref/resource.')
  }
  const uri = textOf(ref, 'uri', 'completion/complete')
  const hostRef = { ...ref, uri: names.hostUri(uri) }
  const unknown = () => new RpcError(invalidParams, `Unknown resource template: ${shownText(uri, 300)}`)
  return resultOf(names, await host.features.complete({ ...params, ref: hostRef }, options), unknown)
}

/** Serves `logging/setLevel`. @throws {RpcError} −32602 for a level that the protocol does not know. */
export async function setLogLevel({ host, options }: Asker, params: JsonObject): Promise<JsonObject> {
  const { level } = params
  if (!isLogLevel(level)) {
    throw new RpcError(invalidParams, `logging/setLevel needs params.level, one of ${logLevels}.`)
  }
  await host.features.setLogLevel(level, options)
  return {}
}

function resultOf(names: ServedNames, outcome: FeatureOutcome, unknown: () => RpcError): JsonObject {
  switch (outcome.status) {
    case 'ok':
      // An address may have meant somebody who is not served here.
      if (!names.serves(outcome.appId)) throw unknown()
      return flagged(withForeignMeta(outcome.result), outcome.suspicious)
    case 'denied':
      // Told apart from what is not there, it would tell a client what exists.
      throw unknown()
    case 'cancelled':
      throw new RpcError(internalError, 'The request was cancelled.')
    case 'failed': {
      const { code, text, error } = outcome
      if (code === 'FEATURE_NOT_FOUND' || code === 'FEATURE_DENIED') throw unknown()
      if (error !== undefined) throw new RpcError(error.code, error.message, error.data)
      const isOurs = code !== 'AMBIGUOUS_ORIGIN' && code !== 'CAPABILITY_MISSING'
      throw new RpcError(isOurs ? internalError : invalidParams, text, { code })
    }
  }
}

/** Says what in an answer reads like instructions to a model. */
function flagged(result: JsonObject, suspicious: readonly string[] | undefined): JsonObject {
  if (suspicious === undefined) return result
  const meta = isJsonObject(result._meta) ? result._meta : {}
  return { ...result, _meta: { ...meta, [`${ownMetaPrefix}suspicious`]: suspicious } }
}

function textOf(params: JsonObject, key: string, method: string): string {
  const value = params[key]
  if (typeof value === 'string') return value
  throw new RpcError(invalidParams, `${method} needs ${key}, a string.`)
}

function unknownPrompt(name: string): RpcError {
  return new RpcError(invalidParams, `Unknown prompt: ${shownText(name, 100)}`)
}

function unknownResource(uri: string): RpcError {
  return new RpcError(resourceNotFound, `Resource not found: ${shownText(uri, 300)}`, { uri: shownText(uri, 300) })
}
