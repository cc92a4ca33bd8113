import type { CallOptions, Host } from '@rollcall/host'
import type { JsonObject, Logger } from '@rollcall/plugin'
import manifest from '../../package.json' with { type: 'json' }
import { isJsonObject } from '../is-json-object.ts'
import { complete, getPrompt, readResource, setLogLevel, subscribe } from './answer-feature.ts'
import { createCallProgress } from './call-progress.ts'
import { callTool } from './call-tool.ts'
import { clientMeta, logLevelKey } from './client-meta.ts'
import type { Answering, ClientRequest } from './client-request.ts'
import { bareInstructions, instructionsFor } from './instructions.ts'
import { capabilitiesOf } from './lists/capabilities.ts'
import { isLink, withPublishedLinks } from './lists/link-addresses.ts'
import { pageOf } from './lists/page.ts'
import { createShelves } from './lists/shelves.ts'
import { createListWatch } from './lists/watch-lists.ts'
import { internalError, invalidParams, methodNotFound, RpcError } from './rpc-error.ts'
import { servedNames } from './served-names.ts'

/**
 * Answers MCP clients of either era out of one host.
 *
 * @param options.bare serves this one provider only, under the names and addresses that its server gives
 */
export function createAnswering(host: Host, options: { readonly logger: Logger; readonly bare?: string }): Answering {
  const { logger, bare } = options
  const names = servedNames(host, bare)
  const shelves = createShelves(host, names, logger)
  const lists = createListWatch(host, shelves, logger)

  async function answer(request: ClientRequest): Promise<JsonObject> {
    const { method, params, caller, profile } = request
    const call = callOptionsOf(request, bare === undefined ? boundOf(host, profile) : undefined)
    const asker = { host, names, options: call }
    switch (method) {
      case 'tools/list': {
        const can = capabilitiesOf(caller.capabilities, host.profiles.get(profile))
        return pageOf('tools', shelves.tools(call, can).entries, params.cursor)
      }
      case 'tools/call':
        return tool(request, call)
      case 'prompts/list':
        return pageOf('prompts', shelves.features(call).prompts.entries, params.cursor)
      case 'prompts/get':
        return getPrompt(asker, params)
      case 'resources/list':
        return pageOf('resources', shelves.resources(await host.features.resources(call)), params.cursor)
      case 'resources/templates/list':
        return pageOf('resourceTemplates', shelves.features(call).templates.entries, params.cursor)
      case 'resources/read':
        return readResource(asker, params)
      case 'resources/subscribe':
        return subscribe(asker, 'subscribe', params)
      case 'resources/unsubscribe':
        return subscribe(asker, 'unsubscribe', params)
      case 'completion/complete':
        return complete(asker, params)
      case 'logging/setLevel':
        return setLogLevel(asker, params)
      default:
        throw new RpcError(methodNotFound, 'Method not found')
    }
  }

  async function tool(
    { params, onProgress }: ClientRequest,
    call: CallOptions & { profile: string },
  ): Promise<JsonObject> {
    const { name: shownName, arguments: args = {} } = params
    if (typeof shownName !== 'string') throw new RpcError(invalidParams, 'tools/call needs params.name, a string.')
    const name = names.hostTool(shownName)
    const progress = onProgress && createCallProgress(onProgress)
    const result = await callTool(
      host,
      { name, shownName, args, isVisible: shelves.isVisible(call, name) },
      { ...call, ...(progress && { onProgress: progress.report }) },
      progress,
    )
    const { content } = result
    if (bare !== undefined || !Array.isArray(content) || !content.some(isLink)) return result
    const appId = host.tools.all().find((view) => view.name === name)?.appId
    if (appId === undefined) return result
    return { ...result, content: withPublishedLinks(content, appId, host.features.list(call)) }
  }

  return {
    async answer(request) {
      try {
        return await answer(request)
      } catch (error) {
        if (error instanceof RpcError) throw error
        const { profile, method } = request
        logger.error('A request of an MCP client failed in Rollcall itself.', { profile, method, error })
        throw new RpcError(internalError, 'Internal error')
      }
    },
    describe(who) {
      const { instructions } = host.features.list(who)
      const say = bare === undefined ? instructionsFor : bareInstructions
      const said = instructions.filter(({ appId }) => names.serves(appId))
      return {
        serverInfo: { name: 'rollcall', title: 'Rollcall', version: manifest.version },
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          completions: {},
          logging: {},
        },
        instructions: say(who.profile, shelves.hidden(who), said),
      }
    },
    watch(who, listener) {
      return lists.add(who, () => capabilitiesOf(who.capabilities, host.profiles.get(who.profile)), listener)
    },
    [Symbol.dispose]: () => lists[Symbol.dispose](),
  }
}

const defaultResultBytes = 50_000

/** A model reads what clients get. */
function boundOf(host: Host, profile: string): number {
  return host.profiles.get(profile)?.resultBytes ?? defaultResultBytes
}

/** The trace in which the client works, as it says in `_meta`. */
function traceOf({ _meta }: JsonObject): Pick<CallOptions, 'trace'> {
  const { traceparent, tracestate } = isJsonObject(_meta) ? _meta : {}
  if (typeof traceparent !== 'string') return {}
  return { trace: { traceparent, ...(typeof tracestate === 'string' && { tracestate }) } }
}

/** Progress is left out: only tools report it. */
function callOptionsOf(
  request: ClientRequest,
  resultBytes: number | undefined,
): CallOptions & { readonly profile: string } {
  const { principal, profile, client, signal, logLevel } = request
  const own = clientMeta(request.params)
  const meta = logLevel === undefined ? own : { ...own, [logLevelKey]: logLevel }
  const bound = resultBytes === undefined ? {} : { resultBytes }
  return {
    principal,
    profile,
    ...bound,
    ...traceOf(request.params),
    ...(client && { client }),
    caller: request.caller,
    signal,
    ...(meta && { meta }),
  }
}
