import type {
  CallerPort,
  FeatureRequest,
  GuardrailWords,
  Host,
  OpenProvider,
  ProviderCall,
  ProviderEntry,
  Store,
} from '@rollcall/host'
import { createHost, createMemoryStore } from '@rollcall/host'
import type { Profile } from '../../src/gate/profile.ts'
import type { ProviderFeatures } from '../../src/providers/provider.ts'

/** What a server of a test offers and was asked. */
export interface FeatureServer {
  readonly features?: Partial<ProviderFeatures>
  readonly asked: { readonly request: FeatureRequest; readonly call: ProviderCall }[]
  answer?(request: FeatureRequest, call: ProviderCall): ReturnType<NonNullable<OpenProvider['request']>>
}

export interface FeatureHost extends AsyncDisposable {
  readonly host: Host
  readonly store: Store
  /** Status and code of every record, in order, with what it was about. */
  records(): Promise<readonly { tool: string; subject: string | undefined; status: string; code?: string }[]>
}

/** Everything is said about it, so nothing holds it. */
export const open: ProviderEntry = { dataClass: 'publicContent', effect: 'read', approval: 'notNeeded' }

export const serverWith = (features: Partial<ProviderFeatures>, answer?: FeatureServer['answer']): FeatureServer => ({
  features,
  asked: [],
  ...(answer && { answer }),
})

/** A host in front of servers at its port. */
export async function featureHost(
  servers: Readonly<Record<string, FeatureServer>>,
  options: {
    readonly words?: ProviderEntry
    readonly profiles?: readonly Profile[]
    readonly guardrails?: GuardrailWords
  } = {},
): Promise<FeatureHost> {
  const store = createMemoryStore()
  const words = options.words ?? open
  const host = await createHost({
    store,
    ...(options.profiles && { profiles: options.profiles }),
    ...(options.guardrails && { guardrails: options.guardrails }),
    providers: Object.fromEntries(
      Object.keys(servers).map((appId) => [appId, { ...words, server: { command: 'unused' } }]),
    ),
    connectMcp: async ({ appId }) => openServer(servers[appId] as FeatureServer),
  })
  return {
    host,
    store,
    async records() {
      const heads = await store.heads({ kind: 'call' })
      const all = await Promise.all(
        heads.map(async ({ stream }) => {
          const events = []
          for await (const { event } of store.read(stream)) events.push(event as unknown as Record<string, unknown>)
          const first = events[0] as { tool: string; subject?: string }
          const last = events.at(-1) as { status: string; code?: string }
          return {
            tool: first.tool,
            subject: first.subject,
            status: last.status,
            ...(last.code !== undefined && { code: last.code }),
          }
        }),
      )
      return all
    },
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

function openServer(server: FeatureServer): OpenProvider {
  const none = { prompts: [], resources: [], templates: [] }
  const can = { complete: true, subscribe: true, log: true, listLive: false }
  return {
    list: async () => ({
      tools: [
        { name: 'ask', definition: { inputSchema: { type: 'object' } } },
        { name: 'able', definition: { inputSchema: { type: 'object' } }, needs: ['sampling'] },
      ],
      holds: [],
      findings: [],
      detail: '',
      features: { ...none, can, ...server.features },
    }),
    async call(_tool, _args, call) {
      const caller = call.caller as CallerPort
      const elicited = await caller.elicit?.({ message: 'Name?\u202e', requestedSchema: {} }, call.signal)
      const sampled = await caller.sample?.({ messages: [] }, call.signal).catch((error: Error) => error.message)
      return { structured: { elicited, sampled, capabilities: caller.capabilities } as never }
    },
    async request(request, call) {
      server.asked.push({ request, call })
      return server.answer?.(request, call) ?? { ok: true, result: { contents: [{ uri: request.params.uri ?? '' }] } }
    },
    async [Symbol.asyncDispose]() {},
  }
}
