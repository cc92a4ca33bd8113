import assert from 'node:assert/strict'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import { type Probe, poll } from './open-probe.ts'

/** Something that the protocol offers, and how it shows that it passes the gateway whole. */
export interface Feature {
  readonly name: string
  /** Rejects where it does not pass. */
  prove(probe: Probe): Promise<void>
}

const noticed = { timeout: 10_000 }

export const features: readonly Feature[] = [
  {
    name: 'progress',
    async prove(probe) {
      const steps: unknown[] = []
      const args = { duration: 0.4, steps: 4 }
      await call(probe, 'trigger-long-running-operation', args, { onprogress: (one) => steps.push(one) })
      const expected = [1, 2, 3, 4].map((progress) => ({ progress, total: 4 }))
      assert.deepEqual(steps, expected)
    },
  },
  {
    name: 'sampling',
    async prove(probe) {
      const before = probe.heard.samplings.length
      const result = await call(probe, 'trigger-sampling-request', { prompt: 'a word of the probe', maxTokens: 7 })
      assert.equal(probe.heard.samplings.length, before + 1)
      assert.match(JSON.stringify(probe.heard.samplings.at(-1)), /a word of the probe.*"maxTokens":7/)
      assert.match(textOf(result), /a thought of the probe/)
    },
  },
  {
    name: 'elicitation',
    async prove(probe) {
      const before = probe.heard.elicitations.length
      const result = await call(probe, 'trigger-elicitation-request')
      assert.equal(probe.heard.elicitations.length, before + 1)
      assert.match(JSON.stringify(probe.heard.elicitations.at(-1)), /"requestedSchema":.*"firstLine"/)
      assert.match(textOf(result), /Probe Person/)
    },
  },
  {
    name: 'roots',
    async prove(probe) {
      assert.match(textOf(await call(probe, 'get-roots-list')), /file:\/\/\/srv\/probe/)
      assert.ok(probe.heard.roots > 0)
    },
  },
  {
    name: 'setLevel',
    async prove(probe) {
      await probe.client.setLoggingLevel('critical')
      await call(probe, 'echo', { message: 'so that it runs' })
      await poll('the server is told the level', async () =>
        (await probe.overheard()).some(
          ({ method, params }) => method === 'logging/setLevel' && params?.level === 'critical',
        ),
      )
      await probe.client.setLoggingLevel('debug')
      await poll('the server is told the lower level', async () =>
        (await probe.overheard()).some(
          ({ method, params }) => method === 'logging/setLevel' && params?.level === 'debug',
        ),
      )
    },
  },
  {
    name: 'logging',
    async prove(probe) {
      await probe.client.setLoggingLevel('debug')
      const isSimulated = ({ data }: { readonly data: unknown }) => /level(-| )message/.test(String(data))
      const before = probe.heard.logs.filter(isSimulated).length
      await call(probe, 'toggle-simulated-logging')
      await poll('a log message is heard', async () => probe.heard.logs.filter(isSimulated).length > before, 12_000)
      await call(probe, 'toggle-simulated-logging')
    },
  },
  {
    name: 'completion',
    async prove(probe) {
      const ask = (client: Client, name: string) =>
        client.complete({ ref: { type: 'ref/prompt', name }, argument: { name: 'department', value: 'S' } })
      const { prompts } = await probe.client.listPrompts()
      const name = `${probe.appId}__completable-prompt`
      assert.ok(prompts.some((prompt) => prompt.name === name))
      const { completion } = await ask(probe.client, name)
      assert.deepEqual(completion, (await ask(probe.direct, 'completable-prompt')).completion)
      assert.deepEqual(completion.values, ['Sales', 'Support'])
    },
  },
  {
    name: 'resource templates',
    async prove(probe) {
      const { resourceTemplates: ours } = await probe.client.listResourceTemplates()
      const { resourceTemplates: theirs } = await probe.direct.listResourceTemplates()
      assert.ok(theirs.length > 0)
      const expected = theirs.map((one) => ({ ...one, uriTemplate: published(probe, one.uriTemplate) }))
      assert.deepEqual(byName(ofTarget(probe, ours, ({ uriTemplate }) => uriTemplate)), byName(expected))
      const uri = 'demo://resource/dynamic/text/7'
      const { contents } = await probe.client.readResource({ uri: published(probe, uri) })
      assert.equal(contents[0]?.uri, published(probe, uri))
    },
  },
  {
    name: 'read resource',
    async prove(probe) {
      const { resources: ours } = await probe.client.listResources()
      const { resources: theirs } = await probe.direct.listResources()
      assert.ok(theirs.length > 0)
      const expected = theirs.map((one) => ({ ...one, uri: published(probe, one.uri) }))
      assert.deepEqual(byName(ofTarget(probe, ours, ({ uri }) => uri)), byName(expected))
      for (const { uri } of theirs) {
        const read = await probe.client.readResource({ uri: published(probe, uri) })
        const plain = await probe.direct.readResource({ uri })
        assert.deepEqual(
          read.contents,
          plain.contents.map((one) => ({ ...one, uri: published(probe, one.uri) })),
        )
      }
    },
  },
  {
    name: 'subscribe',
    async prove(probe) {
      const { resources } = await probe.direct.listResources()
      const uri = published(probe, resources[0]?.uri ?? '')
      await probe.client.subscribeResource({ uri })
      await call(probe, 'toggle-subscriber-updates')
      await poll('an update is heard', async () => probe.heard.updates.includes(uri), 12_000)
      await call(probe, 'toggle-subscriber-updates')
      assert.deepEqual(new Set(probe.heard.updates), new Set([uri]))
      await probe.client.unsubscribeResource({ uri })
    },
  },
  {
    name: 'cancel',
    async prove(probe) {
      const cancel = new AbortController()
      const began = Promise.withResolvers<void>()
      const pending = call(
        probe,
        'trigger-long-running-operation',
        { duration: 8, steps: 80 },
        {
          signal: cancel.signal,
          onprogress: () => began.resolve(),
        },
      )
      const outcome = pending.then(
        () => 'answered',
        () => 'cancelled',
      )
      await Promise.race([began.promise, outcome])
      cancel.abort('enough')
      assert.equal(await outcome, 'cancelled')
      await poll('the server is told', async () =>
        (await probe.overheard()).some(({ method }) => method === 'notifications/cancelled'),
      )
      // And the session goes on.
      assert.match(textOf(await call(probe, 'echo', { message: 'still here' })), /still here/)
    },
  },
  {
    name: 'definitions of tools',
    async prove(probe) {
      const { tools: ours } = await probe.client.listTools()
      const { tools: theirs } = await probe.direct.listTools()
      const prefix = `${probe.appId}__`
      const got = ours.filter(({ name }) => name.startsWith(prefix)).map((tool) => plainOf(tool, prefix))
      assert.deepEqual(byName(got), byName(theirs.map((tool) => plainOf(tool, ''))))
      assert.ok(theirs.some(({ annotations }) => annotations !== undefined))
      assert.ok(theirs.some(({ outputSchema }) => outputSchema !== undefined))
    },
  },
  {
    name: 'structured content',
    async prove(probe) {
      const args = { location: 'New York' }
      const { structuredContent, content } = await call(probe, 'get-structured-content', args)
      const plain = (await probe.direct.callTool({ name: 'get-structured-content', arguments: args })) as CallToolResult
      assert.ok(plain.structuredContent !== undefined)
      assert.deepEqual(
        { structuredContent, content },
        { structuredContent: plain.structuredContent, content: plain.content },
      )
    },
  },
  {
    name: 'instructions',
    async prove(probe) {
      const theirs = probe.direct.getInstructions()?.trim() ?? ''
      const ours = probe.client.getInstructions() ?? ''
      assert.ok(theirs.length > 0)
      const lines = new Set(ours.split('\n').map((line) => line.trim()))
      const missing = theirs.split('\n').filter((line) => line.trim() !== '' && !lines.has(line.trim()))
      assert.deepEqual(missing, [])
      assert.ok(ours.includes(probe.appId))
    },
  },
]

async function call(
  { client, appId }: Probe,
  tool: string,
  args: Record<string, unknown> = {},
  options: Parameters<Client['callTool']>[2] = {},
): Promise<CallToolResult> {
  const request = { name: `${appId}__${tool}`, arguments: args }
  const result = (await client.callTool(request, undefined, { ...noticed, ...options })) as CallToolResult
  assert.notEqual(result.isError, true, textOf(result))
  return result
}

function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
}

/** A gateway has an order of its own. */
function byName<T extends { readonly name: string }>(list: readonly T[]): readonly T[] {
  return list.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** The form of an address that several servers have. */
function published({ appId, upstreams }: Probe, uri: string): string {
  return upstreams === 1 ? uri : `${appId}+${uri}`
}

function ofTarget<T>({ appId, upstreams }: Probe, list: readonly T[], addressOf: (one: T) => string): readonly T[] {
  return upstreams === 1 ? list : list.filter((one) => addressOf(one).startsWith(`${appId}+`))
}

/** A tool without what the gateway may change: its name, hints that are made stricter, and tasks, which it does not pass. */
function plainOf({ name, execution: _, annotations, _meta, ...rest }: Tool, prefix: string): Omit<Tool, 'execution'> {
  const { 'rollcall/annotations': original, ...meta } = _meta ?? {}
  return {
    ...rest,
    name: name.slice(prefix.length),
    annotations: original ?? annotations,
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  }
}
