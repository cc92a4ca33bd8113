import type { CallerPort, ProviderCall } from '@rollcall/host'
import type { JsonObject } from '@rollcall/plugin'
import { callBy } from './open-project.ts'

/** One session of an MCP client, as the server face would hand it to a provider. */
export interface TestSession {
  /** What servers asked of it, by their words. */
  readonly asked: readonly string[]
  /** What it was told, as `method detail`. */
  readonly heard: readonly string[]
  call(more?: Partial<ProviderCall>): ProviderCall
  end(): void
}

export interface TestSessionOptions {
  readonly principal?: string
  readonly capabilities?: JsonObject
  /** Answers an elicitation; by default with the word that was asked for, and who answered. */
  readonly elicit?: (params: JsonObject, signal: AbortSignal) => Promise<JsonObject>
}

export const able = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }

/** Whoever answers says who it is, so that an answer of somebody else is seen. */
export function openSession(id: string, options: TestSessionOptions = {}): TestSession {
  const { principal = id, capabilities = {} } = options
  const asked: string[] = []
  const heard: string[] = []
  const ended = new AbortController()
  const elicit =
    options.elicit ?? (async ({ message }) => ({ action: 'accept', content: { word: message ?? '', by: id } }))
  const caller = {
    capabilities,
    async elicit(params: JsonObject, signal: AbortSignal) {
      asked.push(String(params.message))
      return elicit(params, signal)
    },
    async sample() {
      asked.push('sampling')
      return { role: 'assistant', model: id, content: { type: 'text', text: id } }
    },
    async roots() {
      asked.push('roots')
      return { roots: [{ uri: `file:///${id}` }] }
    },
    notify(method: string, params: JsonObject) {
      const what = params.uri ?? params.data ?? params.elicitationId
      heard.push(`${method.split('/').slice(1).join('/')} ${String(what)}`)
    },
  } satisfies CallerPort
  return {
    asked,
    heard,
    call: (more = {}) =>
      callBy(principal, { caller, client: { session: id, name: 'test', ended: ended.signal }, ...more }),
    end: () => ended.abort(),
  }
}
