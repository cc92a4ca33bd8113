import {
  defineTool,
  isRollcallError,
  type Principal,
  silentLogger,
  type ToolContext,
  type ToolDefinition,
  Type,
} from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { type BuiltinClaim, openBuiltin } from '../../src/providers/open-builtin.ts'
import type { ListedTool, ProviderCall } from '../../src/providers/provider.ts'

function open(tools: BuiltinClaim['provider']['tools']) {
  const claim: BuiltinClaim = {
    appId: 'notes',
    plugin: '@acme/notes',
    version: '1.0.0',
    source: 'announced',
    order: 0,
    provider: { kind: 'builtin', tools },
    from: './plugins/notes',
  }
  return openBuiltin(claim)
}

const { signal } = new AbortController()
const principal: Principal = { kind: 'user', id: 'ann', person: 'ann', admin: false, scopes: [] }

function callWith(more: Partial<ProviderCall> = {}): ProviderCall {
  return {
    principal,
    profile: 'default',
    callId: 'c1',
    idempotencyKey: 'k1',
    signal,
    logger: silentLogger,
    progress() {},
    definition: `sha256:${'0'.repeat(64)}`,
    timeoutMs: 1_000,
    effect: 'read',
    ...more,
  }
}

const basics = { name: 'act', description: 'Acts.', effect: 'read', dataClass: 'publicContent' } as const

function returning(value: unknown, more: Partial<ToolDefinition> = {}): ToolDefinition {
  return { ...basics, ...more, execute: () => value as string }
}

async function resultOf(tool: ToolDefinition, args = {}, call = callWith()) {
  const provider = open([tool])
  await provider.list(signal)
  return provider.call(tool.name, args, call)
}

async function listedOf(tool: unknown): Promise<ListedTool> {
  const { tools } = await open([tool as ToolDefinition]).list(signal)
  return tools[0] as ListedTool
}

async function failureOf(work: Promise<unknown>) {
  const error: unknown = await work.catch((thrown: unknown) => thrown)
  if (!isRollcallError(error)) expect.unreachable(`no error of ours: ${String(error)}`)
  return error
}

describe('listing', () => {
  it('reads an array, or asks a function with the signal', async () => {
    const seen: AbortSignal[] = []
    const provider = open(async (stop) => {
      seen.push(stop)
      return [returning('x')]
    })
    expect((await provider.list(signal)).tools).toHaveLength(1)
    expect(seen).toEqual([signal])
  })

  it.each([null, undefined, {}, 'x', new Map()])('R-DISC-08 fails for %s instead of a list', async (tools) => {
    const error = await failureOf(open((() => tools) as never).list(signal))
    expect(error.code).toBe('PROVIDER_LIST_FAILED')
    expect(error.message).toMatch(/notes are no list/)
  })

  it('says what the author says', async () => {
    const tool = defineTool({
      ...basics,
      title: 'Act!',
      input: Type.Object({ n: Type.Number() }),
      output: Type.Object({ n: Type.Number() }),
      effect: 'idempotentWrite',
      group: 'doing',
      adminOnly: true,
      approval: 'notNeeded',
      timeoutMs: 5,
      startsOff: true,
      asksPerson: Type.Object({ pin: Type.String() }),
      execute: ({ n }) => ({ structured: { n } }),
    })
    expect(await listedOf(tool)).toMatchObject({
      name: 'act',
      definition: {
        title: 'Act!',
        description: 'Acts.',
        inputSchema: { type: 'object', required: ['n'] },
        outputSchema: { type: 'object' },
      },
      traits: {
        effect: 'idempotentWrite',
        dataClass: 'publicContent',
        group: 'doing',
        adminOnly: true,
        approval: 'notNeeded',
      },
      timeoutMs: 5,
      startsOff: true,
      asksPerson: { required: ['pin'] },
    })
  })

  it('takes no input schema for no arguments', async () => {
    expect((await listedOf(returning('x'))).definition.inputSchema).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: false,
    })
  })

  it('does not serve an output schema that MCP can not carry', async () => {
    expect((await listedOf(returning('x', { output: Type.Array(Type.String()) }))).definition).not.toHaveProperty(
      'outputSchema',
    )
  })

  it('takes the strictest for what is missing or unknown, and reports it', async () => {
    const { effect, ...withoutEffect } = returning('x')
    const { tools, findings } = await open([
      withoutEffect,
      returning('x', { name: 'other', dataClass: 'pubic' as never }),
    ] as never).list(signal)
    expect(tools).toMatchObject([
      { traits: { effect: 'write', dataClass: 'publicContent' } },
      { traits: { effect, dataClass: 'secretAdjacent' } },
    ])
    expect(findings).toMatchObject([
      {
        code: 'TOOL_CLASS_MISSING',
        migration: 'MIG020',
        about: { plugin: '@acme/notes', appId: 'notes', tool: 'act' },
      },
      { code: 'TOOL_CLASS_MISSING', about: { tool: 'other' } },
    ])
  })

  it('passes on what is no tool, for the catalogue to drop', async () => {
    const { tools } = await open([null, 'x', { name: 'y' }] as never).list(signal)
    expect(tools).toEqual([null, 'x', { name: 'y' }])
  })

  it('lists the same object for the same definition', async () => {
    const tool = returning('x')
    expect(await listedOf(tool)).toBe(await listedOf(tool))
  })

  it('asks its author about arguments; anything but a plain no asks a person', async () => {
    const asks = async (when: () => unknown) =>
      (await listedOf(returning('x', { approval: { when: when as () => boolean } }))).needsApproval?.({})
    expect(await asks(() => false)).toBe(false)
    expect(await asks(() => true)).toBe(true)
    expect(await asks(() => undefined)).toBe(true)
    expect(
      await asks(() => {
        throw null
      }),
    ).toBe(true)
  })
})

describe('a call', () => {
  it('hands the tool its arguments and exactly the fields of a tool context, frozen', async () => {
    let seen: { args: unknown; context: ToolContext } | undefined
    const progress: unknown[] = []
    const tool: ToolDefinition = {
      ...basics,
      execute(args, context) {
        seen = { args, context }
        context.progress(1, 2, 'half')
        return 'done'
      },
    }
    const call = callWith({
      caller: { capabilities: {} },
      client: { session: 's', name: 'client' },
      progress: (...told) => progress.push(told),
    })
    expect(await resultOf(tool, { a: 1 }, call)).toEqual({ content: [{ type: 'text', text: 'done' }] })
    expect(seen?.args).toEqual({ a: 1 })
    const fields = ['callId', 'idempotencyKey', 'logger', 'principal', 'profile', 'progress', 'signal']
    expect(Object.keys(seen?.context ?? {}).sort()).toEqual(fields)
    expect(Object.isFrozen(seen?.context)).toBe(true)
    expect(progress).toEqual([[1, 2, 'half']])
  })

  it('names the run when there is one', async () => {
    const tool: ToolDefinition = { ...basics, execute: (_, { runId }) => String(runId) }
    expect(await resultOf(tool, {}, callWith({ runId: 'r1' }))).toMatchObject({ content: [{ text: 'r1' }] })
  })

  it('gives structured results their JSON text as content', async () => {
    expect(await resultOf(returning({ structured: { n: 1 } }))).toEqual({
      structured: { n: 1 },
      content: [{ type: 'text', text: '{"n":1}' }],
    })
    const both = {
      structured: { n: 1 },
      content: [{ type: 'text', text: 'one' }],
      isError: true,
      meta: { m: 1 },
      artifacts: [{ type: 'json', name: 'x', value: 1 }],
    }
    expect(await resultOf(returning(both))).toEqual(both)
  })

  it('passes content of kinds that are unknown here', async () => {
    const content = [{ type: 'hologram', beam: 1 }]
    expect(await resultOf(returning({ content }))).toEqual({ content })
  })

  it.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /returned undefined/],
    ['null', null, /returned null/],
    ['a number', 3, /returned number/],
    ['a list', ['x'], /returned a list/],
    ['an object of its own shape', { temperature: 3 }, /unknown key temperature/],
    ['content that is no list', { content: 'x' }, /no list of blocks/],
    ['a text block without text', { content: [{ type: 'text' }] }, /block 0 without the text text/],
    [
      'an image without data',
      {
        content: [
          { type: 'text', text: '' },
          { type: 'image', mimeType: 'image/png' },
        ],
      },
      /block 1 without the text data/,
    ],
    ['a block that is none', { content: [null] }, /block 0/],
    ['what is no JSON', { structured: { f() {} } }, /\/structured\/f is a function/],
    [
      'a circle',
      {
        structured: (() => {
          const a: { a?: unknown } = {}
          a.a = a
          return a
        })(),
      },
      /levels deep/,
    ],
    ['artifacts that are no list', { artifacts: {} }, /artifacts/],
    ['an error flag that is none', { isError: 'yes' }, /isError/],
  ])('fails readably for %s', async (_, returned, message) => {
    const error = await failureOf(resultOf(returning(returned)))
    expect(error.code).toBe('TOOL_FAILED')
    expect(error.message).toMatch(message)
    expect(error.message).toMatch(/^notes__act /)
  })

  it('keeps to a stated output schema, with paths', async () => {
    const output = Type.Object({ n: Type.Number(), tags: Type.Array(Type.String()) })
    expect(await resultOf(returning({ structured: { n: 1, tags: [] } }, { output }))).toMatchObject({
      structured: { n: 1 },
    })
    const wrong = await failureOf(resultOf(returning({ structured: { n: 'x', tags: [1] } }, { output })))
    expect(wrong.code).toBe('TOOL_FAILED')
    expect(wrong.message).toMatch(/\/n .*\/tags\/0 /)
    expect((await failureOf(resultOf(returning('text', { output })))).message).toMatch(/nothing `structured`/)
    expect(await resultOf(returning({ isError: true, content: [] }, { output }))).toMatchObject({ isError: true })
  })

  it('keeps to rules in code, which the JSON form of a schema does not carry', async () => {
    const even = Type.Refine(
      Type.Number(),
      (n) => n % 2 === 0,
      () => 'must be even',
    )
    const tool = returning('fine', { input: Type.Object({ n: even }) })
    expect(await resultOf(tool, { n: 2 })).toMatchObject({ content: [{ text: 'fine' }] })
    const error = await failureOf(resultOf(tool, { n: 3 }))
    expect(error.code).toBe('TOOL_ARGUMENTS_INVALID')
    expect(error.message).toMatch(/\/n must be even/)
  })

  it('to a tool that is not listed any more says so', async () => {
    expect((await failureOf(open([]).call('act', {}, callWith()))).code).toBe('TOOL_GONE')
  })

  it('R-DISC-09 lets through what a tool throws, for its caller to describe', async () => {
    const tool: ToolDefinition = {
      ...basics,
      execute() {
        throw null
      },
    }
    await expect(
      resultOf(tool).then(
        () => 'returned',
        (thrown: unknown) => ['threw', thrown],
      ),
    ).resolves.toEqual(['threw', null])
  })
})
