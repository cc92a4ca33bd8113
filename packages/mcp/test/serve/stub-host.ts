import type {
  CallOptions,
  CallRef,
  Capability,
  FeatureList,
  FeatureOutcome,
  FeatureRuntime,
  Host,
  Profile,
  ToolOutcome,
  ToolView,
  Who,
} from '@rollcall/host'
import {
  type Digest,
  digestOf,
  FeaturesChanged,
  type JsonObject,
  type ToolResult,
  ToolsChanged,
  type ToolTraits,
} from '@rollcall/plugin'

/** A host at the port: what the serving side may ask of it, and nothing behind it. */
export interface StubHost {
  readonly host: Host
  /** Replaces the catalogue and tells of it. */
  change(tools: readonly StubTool[]): void
  /** Replaces what there is besides tools and tells of it. */
  changeFeatures(features: StubFeatures): void
  /** How often a list was asked for. */
  readonly lists: () => number
  /** What the latest call was given. */
  readonly lastCall: () => CallOptions | undefined
  readonly listeners: () => number
}

export interface StubTool {
  readonly name: string
  readonly definition?: Partial<ToolView['definition']>
  readonly traits?: Partial<ToolTraits>
  readonly needs?: readonly Capability[]
  readonly visible?: (who: Who) => boolean
  readonly run?: (args: unknown, options: CallOptions) => Promise<ToolOutcome> | ToolOutcome
  readonly wait?: (call: CallRef, options: CallOptions & { timeoutMs: number }) => Promise<ToolOutcome>
}

/** What there is besides tools. `ask` answers every request that is no list. */
export interface StubFeatures extends Partial<FeatureList> {
  readonly live?: FeatureList['resources']
  readonly ask?: (method: string, about: unknown, options: CallOptions) => FeatureOutcome | Promise<FeatureOutcome>
}

export function answered(result: JsonObject): FeatureOutcome {
  return { status: 'ok', callId: 'feature-1', durationMs: 1, appId: 'notes', result }
}

const absent: FeatureOutcome = {
  status: 'denied',
  callId: 'feature-1',
  durationMs: 1,
  code: 'FEATURE_NOT_FOUND',
  text: 'There is nothing of that name.',
  hint: 'List again.',
}

export function ok(result: ToolResult, more: object = {}): ToolOutcome {
  const content = result.content ?? []
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  const { structured, meta } = result
  return {
    status: 'ok',
    callId: 'call-1',
    text,
    durationMs: 1,
    content,
    artifacts: [],
    ...(structured !== undefined && { structured }),
    ...(meta !== undefined && { meta }),
    ...more,
  }
}

export function denied(code: (ToolOutcome & { status: 'denied' })['code'], text = 'Denied.'): ToolOutcome {
  return { status: 'denied', code, callId: 'call-1', text, durationMs: 1, hint: 'Run `rollcall why notes__gone`.' }
}

export function waiting(tool: string): ToolOutcome {
  const binds: Digest = digestOf(tool)
  return {
    status: 'waiting',
    callId: 'secret-call-id',
    text: 'rollcall approve secret-call-id',
    durationMs: 1,
    pending: {
      kind: 'approval',
      stream: 'call/secret-call-id',
      callId: 'secret-call-id',
      tool,
      binds,
      expiresAt: 0,
      args: {},
      preview: [],
      asked: { decidedBy: 'approval', why: 'a person approves each call' },
      taint: { origins: [] },
    },
  }
}

export function createStubHost(
  initial: readonly StubTool[],
  profiles: readonly Profile[] = [],
  initialFeatures: StubFeatures = {},
): StubHost {
  let tools = initial
  let features = initialFeatures
  let generation = 1
  let lists = 0
  let lastCall: CallOptions | undefined
  const listeners = new Set<(event: never) => unknown>()
  const isVisible = (tool: StubTool, who: Who) => tool.visible?.(who) ?? true
  const never = () => {
    throw new TypeError('The serving side has no business here.')
  }

  const listed = () => ({ prompts: [], templates: [], resources: [], instructions: [], ...features })
  const ask = async (method: string, about: unknown, options: CallOptions) => {
    lastCall = options
    return (await features.ask?.(method, about, options)) ?? absent
  }
  const featureRuntime: FeatureRuntime = {
    list: listed,
    resources: async () => [...listed().resources, ...(features.live ?? [])],
    getPrompt: (name, args, options) => ask('getPrompt', { name, args }, options),
    readResource: (uri, options) => ask('readResource', uri, options),
    subscribe: (uri, options) => ask('subscribe', uri, options),
    unsubscribe: (uri, options) => ask('unsubscribe', uri, options),
    complete: (params, options) => ask('complete', params, options),
    async setLogLevel(level, options) {
      await ask('setLogLevel', level, options)
    },
  }
  const tell = (fact: ToolsChanged | FeaturesChanged) => {
    for (const listener of listeners) listener(fact as never)
  }

  const host: Host = {
    features: featureRuntime,
    profiles: new Map<string, Profile>(
      [{ name: 'default', zone: 'externalGlobal' } satisfies Profile, ...profiles].map((profile) => [
        profile.name,
        profile,
      ]),
    ),
    switches: new Proxy({} as Host['switches'], { get: never }),
    guardrails: new Proxy({} as Host['guardrails'], { get: never }),
    tools: {
      list(who) {
        lists += 1
        return tools.filter((tool) => isVisible(tool, who)).map((tool) => viewOf(tool, generation))
      },
      all: () => tools.map((tool) => viewOf(tool, generation)),
      async call(name, args, options) {
        lastCall = options
        const tool = tools.find((candidate) => candidate.name === name)
        if (tool === undefined) return denied('TOOL_NOT_FOUND', `No tool ${name}`)
        if (!isVisible(tool, options) && tool.run === undefined) return denied('TOOL_DENIED', 'Your zone is too far.')
        return (await tool.run?.(args, options)) ?? ok({ content: [{ type: 'text', text: 'done' }] })
      },
      async wait(ref, options) {
        lastCall = options
        const name = tools.find((tool) => tool.wait !== undefined)
        return name?.wait?.(ref, options) ?? waiting('none')
      },
      answer: never,
      resume: never,
      why: never,
      pending: never,
      grants: never,
      revoke: never,
      replay: never,
      handle: async () => 'opaque-handle',
      await: never,
    },
    report: never,
    plan: never,
    refresh: never,
    add: never,
    remove: never,
    on(event, listener) {
      if (event.type !== ToolsChanged.type && event.type !== FeaturesChanged.type) return never()
      listeners.add(listener as (event: never) => unknown)
      return () => listeners.delete(listener as (event: never) => unknown)
    },
    async [Symbol.asyncDispose]() {},
  }

  return {
    host,
    change(next) {
      tools = next
      generation += 1
      tell(new ToolsChanged({ generation, added: [], removed: [], changed: [] }))
    },
    changeFeatures(next) {
      features = next
      tell(new FeaturesChanged({ generation, prompts: true, resources: true }))
    },
    lists: () => lists,
    lastCall: () => lastCall,
    listeners: () => listeners.size,
  }
}

export function viewOf(tool: StubTool, generation = 1): ToolView {
  const [appId = '', original = ''] = tool.name.split('__')
  const definition = { inputSchema: { type: 'object' }, ...tool.definition }
  return {
    name: tool.name,
    original,
    appId,
    plugin: appId,
    source: 'announced',
    kind: 'builtin',
    generation,
    digest: digestOf(definition),
    definition,
    traits: {
      effect: 'read',
      dataClass: 'publicContent',
      group: appId,
      adminOnly: false,
      approval: 'notNeeded',
      ...tool.traits,
    },
    holds: [],
    needs: tool.needs ?? [],
  }
}
