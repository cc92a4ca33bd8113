import { type JsonObject, RollcallError } from '@rollcall/plugin'
import type { Catalogue, FeatureEntry } from '../catalogue/catalogue.ts'
import { addressFault } from '../catalogue/check-address.ts'
import { inspectTexts } from '../catalogue/suspicious.ts'
import type { Profile } from '../gate/profile.ts'
import type { CallDeps } from '../invoke/call-deps.ts'
import { newCallId } from '../invoke/call-record.ts'
import { execute } from '../invoke/execute.ts'
import type { CallOptions, Who } from '../invoke/runtime.ts'
import type { FeatureAnswer, FeatureRequest } from '../providers/provider.ts'
import { catalogueNotReady } from '../refusals.ts'
import { type Meaning, meaningOf, publishedAddress, sharedAddresses } from './addresses.ts'
import type { FeatureOutcome, FeatureRuntime, ResourceView } from './feature-runtime.ts'
import { listFeatures } from './list-features.ts'
import { type AskedFeature, requestFeature } from './request-feature.ts'
import { type Consumer, featuresSeenBy, isAllowed, resourceName } from './seen-by.ts'

const liveListMs = 10_000

/** The way of every consumer to what providers offer besides tools. */
export function createFeatureRuntime(deps: CallDeps): FeatureRuntime {
  const ready = (): Catalogue => {
    const listener = deps.currentListener()
    if (listener !== undefined) throw catalogueNotReady(listener)
    return deps.catalogue()
  }
  const asking = ({ principal, profile = 'direct', allow }: Who): Consumer => {
    const found = deps.profiles.get(profile)
    if (found === undefined) throw noProfile(profile, deps)
    return { principal, profile: found, policy: deps.policy, ...(allow !== undefined && { allow }) }
  }

  /** Everything that this consumer sees, with what its servers list for it alone. */
  const seenLive = async (options: CallOptions): Promise<readonly FeatureEntry[]> => {
    const who = asking(options)
    const seen = featuresSeenBy(ready(), who)
    return Promise.all(
      seen.map(async (entry) => {
        if (!entry.can.listLive) return entry
        const resources = await listLive(deps, entry, who.profile, options)
        const mayRead = (uri: string) => isAllowed(entry, 'resource', resourceName(entry.appId, uri), who)
        const seenNow = [...resources].filter(([uri, item]) => isFit(uri, item) && mayRead(uri))
        return { ...entry, resources: new Map([...entry.resources, ...seenNow]) }
      }),
    )
  }

  const meaning = async (address: string, options: CallOptions): Promise<Meaning> => {
    const seen = meaningOf(address, featuresSeenBy(ready(), asking(options)))
    if (seen.kind !== 'none') return seen
    const live = meaningOf(address, await seenLive(options))
    if (live.kind !== 'none') return live
    // What this consumer may not see is denied by its own rule in the record, and looks unknown from outside.
    const any = meaningOf(address, [...ready().features.values()])
    return any.kind === 'one' ? { ...any, unseen: true } : { kind: 'none' }
  }

  const request = (asked: AskedFeature, options: CallOptions): Promise<FeatureOutcome> =>
    requestFeature(deps, asking(options).profile, asked, guarded(asked, options))

  /** Updates reach the caller under the address by which it knows the resource. */
  const guarded = ({ entry }: AskedFeature, options: CallOptions): CallOptions => {
    const { caller } = options
    if (caller?.notify === undefined || entry === undefined) return options
    const { appId } = entry
    const notify: typeof caller.notify = (method, params) => {
      if (method !== 'notifications/resources/updated') return caller.notify?.(method, params)
      const { uri } = params
      if (typeof uri !== 'string' || addressFault(uri) !== undefined) return
      // As it is now: held since, it tells nobody anything. A server may name a part of what was subscribed to: one that
      // this caller may not read is none of its business.
      const now = deps.catalogue().features.get(appId)
      if (now === undefined || !isAllowed(now, 'resource', resourceName(appId, uri), asking(options))) return
      const shared = sharedAddresses(featuresSeenBy(deps.catalogue(), asking(options)))
      caller.notify?.(method, { uri: publishedAddress(appId, uri, shared) })
    }
    return { ...options, caller: { ...caller, notify } }
  }

  const aboutResource = async (
    uri: string,
    method: 'resources/read' | 'resources/subscribe' | 'resources/unsubscribe',
    options: CallOptions,
  ): Promise<FeatureOutcome> => {
    const found = await meaning(uri, options)
    const original = found.kind === 'one' ? found.original : uri
    const outcome = await request(
      {
        kind: 'resource',
        name: uri,
        gateName: found.kind === 'one' ? resourceName(found.entry.appId, original) : uri,
        request: { method, params: { uri: original } },
        ...partsOf(found),
      },
      options,
    )
    return outcome.status === 'ok' ? { ...outcome, result: asAskedFor(outcome.result, original, uri) } : outcome
  }

  return {
    list: (who) => listFeatures(ready(), asking(who)),
    async resources(options) {
      const seen = await seenLive(options)
      const shared = sharedAddresses(seen)
      return seen.flatMap((entry) =>
        [...entry.resources].map(([uri, item]) => toResource(entry.appId, uri, item, shared)),
      )
    },
    async getPrompt(name, args, options) {
      const entry = [...ready().features.values()].find(({ prompts }) => prompts.has(name))
      const original = entry?.prompts.get(name)?.original ?? name
      const params = { name: original, arguments: args }
      return request(
        { kind: 'prompt', name, gateName: name, request: { method: 'prompts/get', params }, ...(entry && { entry }) },
        options,
      )
    },
    readResource: (uri, options) => aboutResource(uri, 'resources/read', options),
    subscribe: (uri, options) => aboutResource(uri, 'resources/subscribe', options),
    unsubscribe: (uri, options) => aboutResource(uri, 'resources/unsubscribe', options),
    async complete(params, options) {
      const ref = (params.ref ?? {}) as JsonObject
      const name = String(ref.name ?? ref.uri ?? '')
      const found = await meaningOfRef(ref, name, ready(), () => meaning(name, options))
      const original = found.kind === 'one' ? found.original : name
      const own = ref.type === 'ref/prompt' ? { ...ref, name: original } : { ...ref, uri: original }
      const gateName =
        found.kind === 'one' && ref.type !== 'ref/prompt' ? resourceName(found.entry.appId, original) : name
      const wanted: FeatureRequest = { method: 'completion/complete', params: completionOf(params, own) }
      return request({ kind: 'completion', name, gateName, request: wanted, ...partsOf(found) }, options)
    },
    async setLogLevel(level, options) {
      const who = asking(options)
      const seen = featuresSeenBy(ready(), who).filter(({ can }) => can.log)
      const params = { level }
      await Promise.all(
        seen.map((entry) => ask(deps, entry, { method: 'logging/setLevel', params }, who.profile, options)),
      )
    },
  }
}

/** What the protocol has in it, and nothing else that a client may have put there. */
function completionOf({ argument, context }: JsonObject, ref: JsonObject): JsonObject {
  return { ref, ...(argument !== undefined && { argument }), ...(context !== undefined && { context }) }
}

function partsOf(found: Meaning): Pick<AskedFeature, 'entry' | 'ambiguous'> {
  if (found.kind === 'one') return { entry: found.entry, ...(found.unseen === true && { unseen: true }) }
  return found.kind === 'several' ? { ambiguous: found.appIds } : {}
}

async function meaningOfRef(
  ref: JsonObject,
  name: string,
  catalogue: Catalogue,
  meaningOfAddress: () => Promise<Meaning>,
): Promise<Meaning> {
  if (ref.type !== 'ref/prompt') return meaningOfAddress()
  const entry = [...catalogue.features.values()].find(({ prompts }) => prompts.has(name))
  if (entry === undefined) return { kind: 'none' }
  return { kind: 'one', entry, original: entry.prompts.get(name)?.original ?? name }
}

/** Addresses in an answer have the form that was asked for. */
function asAskedFor(result: JsonObject, original: string, asked: string): JsonObject {
  const { contents } = result
  if (asked === original || !Array.isArray(contents)) return result
  return {
    ...result,
    contents: contents.map((content) =>
      typeof content === 'object' && content !== null && content.uri === original
        ? { ...content, uri: asked }
        : content,
    ),
  }
}

function toResource(appId: string, uri: string, item: JsonObject, shared: ReadonlySet<string>): ResourceView {
  return { uri: publishedAddress(appId, uri, shared), original: uri, appId, definition: item }
}

/** As at the catalogue's own door: no odd address, and no text that a person should see first. */
function isFit(uri: string, item: JsonObject): boolean {
  if (addressFault(uri) !== undefined) return false
  return inspectTexts({ name: uri, definition: { inputSchema: item } }).suspicion === undefined
}

/** What a server lists for this caller alone; one that fails costs its own resources only. */
async function listLive(
  deps: CallDeps,
  entry: FeatureEntry,
  profile: Profile,
  options: CallOptions,
): Promise<ReadonlyMap<string, JsonObject>> {
  const answer = await ask(deps, entry, { method: 'resources/list', params: {} }, profile, options)
  const listed = answer?.ok === true && Array.isArray(answer.result.resources) ? answer.result.resources : []
  const items = listed.filter((item: unknown): item is JsonObject => typeof item === 'object' && item !== null)
  // Nobody can be asked about what is listed for one caller alone.
  const harmless = items.filter((item) => {
    const { suspicion } = inspectTexts({ name: String(item.uri ?? ''), definition: { inputSchema: item } })
    if (suspicion !== undefined)
      deps.logger.warn('a resource is left out', {
        provider: entry.appId,
        code: 'TOOL_SUSPICIOUS',
        has: suspicion.what,
      })
    return suspicion === undefined
  })
  return new Map(harmless.flatMap((item) => (typeof item.uri === 'string' ? [[item.uri, item] as const] : [])))
}

/** A request that looks at nothing and changes nothing, and so has no record. Never rejects. */
async function ask(
  deps: CallDeps,
  entry: FeatureEntry,
  request: FeatureRequest,
  profile: Profile,
  options: CallOptions,
): Promise<FeatureAnswer | undefined> {
  try {
    const signal = options.signal === undefined ? deps.signal : AbortSignal.any([deps.signal, options.signal])
    const key = await deps.digestKey()
    const executable = {
      ...entry,
      name: entry.appId,
      timeoutMs: liveListMs,
      invoke: (_args: unknown, call: Parameters<FeatureEntry['request']>[1]) => entry.request(request, call),
    }
    const context = { callId: newCallId(deps.clock.now()), profile, options, signal, key }
    const executed = await execute<FeatureAnswer>(deps, executable, null, context)
    if (executed.status === 'done') return executed.result
    deps.logger.warn('a provider could not be asked', {
      provider: entry.appId,
      method: request.method,
      status: executed.status,
    })
  } catch (error) {
    deps.logger.warn('a provider could not be asked', {
      provider: entry.appId,
      method: request.method,
      error: String(error),
    })
  }
  return undefined
}

function noProfile(name: string, deps: CallDeps): RollcallError {
  return new RollcallError('CONFIG_INVALID', `There is no profile ${name}.`, {
    hint: `Add it to \`profiles\`, or name one of: ${[...deps.profiles.keys()].join(', ')}`,
  })
}
