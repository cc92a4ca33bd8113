import { type Json, silentLogger } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { legacyRoom } from '../../../src/discovery/legacy/index.ts'
import type { ListedTool, ProviderCall } from '../../../src/providers/provider.ts'
import { makeClaim } from '../make-claim.ts'

const call: ProviderCall = {
  principal: { kind: 'user', id: 'jo', person: 'jo', admin: false, scopes: [] },
  profile: 'direct',
  callId: 'c1',
  idempotencyKey: 'k1',
  signal: new AbortController().signal,
  logger: silentLogger,
  progress() {},
  definition: `sha256:${'0'.repeat(64)}`,
  timeoutMs: 1_000,
  effect: 'read',
}
const { signal } = call

function open(
  descriptors: unknown,
  answer: (id: string, args: Json) => unknown = (id) => id,
  more: { previewTool?(id: string, args: Json): readonly string[] } = {},
) {
  const getTools = () => descriptors as []
  const provider = { kind: 'legacy' as const, getAppId: () => 'notes', getTools, invokeTool: answer, ...more }
  return legacyRoom.open(makeClaim({ appId: 'notes', source: 'legacy', from: './notes (container alias)', provider }))
}

const listed = async (...descriptors: unknown[]) => {
  const { tools, findings } = await open(descriptors).list(signal)
  return { tools: tools as readonly ListedTool[], findings }
}

const complete = { id: 'notes.list', name: 'list', description: 'Lists.', scope: 'read', dataClass: 'editorContent' }

describe('the list of a legacy provider', () => {
  it('reads a complete descriptor', async () => {
    const inputSchema = { type: 'object', properties: { tag: { type: 'string' } } }
    const outputSchema = { type: 'object' }
    const { tools, findings } = await listed({ ...complete, inputSchema, outputSchema })
    expect(findings).toEqual([])
    expect(tools).toEqual([
      {
        name: 'list',
        definition: { description: 'Lists.', inputSchema, outputSchema },
        traits: { effect: 'read', dataClass: 'editorContent' },
      },
    ])
  })

  it('takes the name for a title where it is a label', async () => {
    const { tools } = await listed(
      { ...complete, name: 'All notes' },
      { ...complete, id: 'notes.sub.list', name: 'notes.sub.list' },
    )
    expect(tools.map(({ name, definition }) => [name, definition.title])).toEqual([
      ['list', 'All notes'],
      ['sub.list', undefined],
    ])
  })

  it.each([
    [{ scope: 'read' }, 'read'],
    [{ readOnlyHint: true }, 'read'],
    [{ scope: 'create' }, 'write'],
    [{ scope: 'delete', readOnlyHint: true }, 'write'],
    [{ scope: 'read', destructiveHint: true }, 'write'],
    [{ readOnlyHint: false }, 'write'],
  ])('reads the effect of %j as %s', async (says, effect) => {
    const { scope: _, ...rest } = complete
    const { tools, findings } = await listed({ ...rest, ...says })
    expect(tools[0]?.traits?.effect).toBe(effect)
    expect(findings).toEqual([])
  })

  it('takes the strictest class for one that is missing or unknown, and says what to add where', async () => {
    const { dataClass: _, ...unclassed } = complete
    const { tools, findings } = await listed(unclassed, { ...complete, id: 'notes.add', dataClass: 'harmless' })
    expect(tools.map(({ traits }) => traits?.dataClass)).toEqual(['secretAdjacent', 'secretAdjacent'])
    expect(findings).toMatchObject([
      {
        code: 'TOOL_CLASS_MISSING',
        migration: 'MIG020',
        severity: 'warn',
        about: { plugin: '@acme/notes', appId: 'notes', tool: 'notes.list' },
        message: 'notes.list states no dataClass, so the strictest is taken: secretAdjacent.',
      },
      { message: 'notes.add states the unknown dataClass harmless, so the strictest is taken: secretAdjacent.' },
    ])
    expect(findings[0]?.hint).toMatch(
      /^Add to its descriptor in \.\/notes \(container alias\): dataClass: 'publicContent' \|/,
    )
  })

  it('takes a write for an effect that is not stated, and says so', async () => {
    const { scope: _, ...silent } = complete
    const { tools, findings } = await listed(silent)
    expect(tools[0]?.traits?.effect).toBe('write')
    expect(findings).toMatchObject([{ code: 'TOOL_CLASS_MISSING', hint: expect.stringContaining("scope: 'read'") }])
  })

  it('passes hints and unknown keys on as annotations, and keeps nothing that could change later', async () => {
    const descriptor = { ...complete, readOnlyHint: true, cost: { cents: 2 }, annotations: { mine: 1 }, handler() {} }
    const { tools } = await listed(descriptor)
    descriptor.cost.cents = 900
    expect(tools[0]?.definition.annotations).toEqual({ mine: 1, readOnlyHint: true, cost: { cents: 2 } })
  })

  it('R-DISC-14 a descriptor with a foreign prefix is absent, not callable, and reported', async () => {
    const provider = open([complete, { ...complete, id: 'weather.list' }, { ...complete, id: 'plain' }])
    const { tools, findings } = await provider.list(signal)
    expect(tools).toHaveLength(1)
    expect(findings).toMatchObject([
      {
        code: 'TOOL_INVALID',
        migration: 'MIG009',
        about: { tool: 'weather.list' },
        message: 'A tool of notes is dropped: "weather.list" has the foreign prefix "weather".',
        hint: 'Rename the id to "notes.list" in ./notes (container alias).',
      },
      { code: 'TOOL_INVALID', message: 'A tool of notes is dropped: "plain" has no prefix.' },
    ])
    await expect(provider.call('weather.list', {}, call)).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
    await expect(provider.call('plain', {}, call)).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
  })

  it('drops what is no descriptor and keeps the others', async () => {
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    const { tools, findings } = await listed(null, 'text', cycle, { name: 'no id' }, { id: 'notes.' }, complete)
    expect(tools.map(({ name }) => name)).toEqual(['list'])
    expect(findings.map(({ code }) => code)).toEqual(Array.from({ length: 5 }, () => 'TOOL_INVALID'))
  })

  it.each([[null], [undefined], ['text'], [{}]])('refuses a list that is %j', async (descriptors) => {
    await expect(open(descriptors).list(signal)).rejects.toMatchObject({ code: 'PROVIDER_LIST_FAILED' })
  })

  it('offers a preview only where the provider has one, under the old id', async () => {
    const { tools } = await open([complete], undefined, {
      previewTool: (id, args) => [`${id} with ${JSON.stringify(args)}`],
    }).list(signal)
    const [withPreview] = tools as readonly ListedTool[]
    expect(await withPreview?.preview?.({ tag: 'x' })).toEqual(['notes.list with {"tag":"x"}'])
    const { tools: others } = await listed(complete)
    expect(others[0]).not.toHaveProperty('preview')
  })
})

describe('a call of a legacy tool', () => {
  const outcomeOf = async (answer: unknown) => {
    const provider = open([complete], () => answer)
    await provider.list(signal)
    return provider.call('list', {}, call)
  }

  it('reaches the provider under the old id with the arguments', async () => {
    const provider = open([{ ...complete, id: 'Notes.list' }], (id, args) => `${id} ${JSON.stringify(args)}`)
    await provider.list(signal)
    expect(await provider.call('list', { tag: 'x' }, call)).toEqual({
      content: [{ type: 'text', text: 'Notes.list {"tag":"x"}' }],
    })
  })

  it("R-DISC-15 a tool whose title equals another tool's name: calls reach the right owner", async () => {
    const provider = open([
      { ...complete, name: 'add' },
      { ...complete, id: 'notes.add', name: 'list' },
    ])
    const { tools } = await provider.list(signal)
    const titles = (tools as readonly ListedTool[]).map(({ name, definition }) => [name, definition.title])
    expect(titles).toEqual([
      ['list', 'add'],
      ['add', 'list'],
    ])
    expect(await provider.call('add', {}, call)).toEqual({ content: [{ type: 'text', text: 'notes.add' }] })
    expect(await provider.call('list', {}, call)).toEqual({ content: [{ type: 'text', text: 'notes.list' }] })
  })

  it('is not taken away by a later list of another kind', async () => {
    const lists = [[complete], []]
    const getTools = () => lists.shift() ?? []
    const provider = { kind: 'legacy' as const, getAppId: () => 'notes', getTools, invokeTool: (id: string) => id }
    const opened = legacyRoom.open(makeClaim({ appId: 'notes', source: 'legacy', provider }))
    await opened.list(signal)
    await opened.list(signal)
    expect(await opened.call('list', {}, call)).toMatchObject({ content: [{ text: 'notes.list' }] })
  })

  it.each([
    [{ isError: true, message: 'full' }, 'full'],
    [{ isError: true, content: [{ type: 'text', text: 'full' }] }, 'full'],
    [{ isError: true, content: 'full' }, 'full'],
    [{ isError: true, left: 0 }, '{"left":0}'],
    [{ error: { code: 'E_FULL', message: 'full' } }, 'E_FULL: full'],
    [{ error: { message: 'full' } }, 'full'],
    [{ error: { left: 0 } }, '{"left":0}'],
    [{ error: 'full' }, 'full'],
  ])('takes %j for a failure', async (answer, text) => {
    expect(await outcomeOf(answer)).toEqual({ content: [{ type: 'text', text }], isError: true })
  })

  it.each([
    ['a text', { content: [{ type: 'text', text: 'a text' }] }],
    [undefined, { content: [] }],
    [null, { content: [] }],
    [42, { content: [{ type: 'text', text: '42' }], structured: 42 }],
    [
      { error: null, n: 1 },
      { content: [{ type: 'text', text: '{"error":null,"n":1}' }], structured: { error: null, n: 1 } },
    ],
    [[1, 2], { content: [{ type: 'text', text: '[1,2]' }], structured: [1, 2] }],
    [
      { content: 'a field' },
      { content: [{ type: 'text', text: '{"content":"a field"}' }], structured: { content: 'a field' } },
    ],
    [
      {
        content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }],
        structuredContent: { n: 1 },
        _meta: { m: 1 },
      },
      { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }], structured: { n: 1 }, meta: { m: 1 } },
    ],
  ])('reads the answer %j', async (answer, result) => {
    expect(await outcomeOf(answer)).toEqual(result)
  })

  it.each([[() => 1], [1n], [Symbol('s')]])('says so when JSON can not hold an answer', async (answer) => {
    await expect(outcomeOf(answer)).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining('notes.list'),
    })
  })

  it('throws what the provider throws', async () => {
    const provider = open([complete], () => {
      throw null
    })
    await provider.list(signal)
    await expect(provider.call('list', {}, call)).rejects.toBe(null)
  })
})

it('refuses to open a provider of another kind', () => {
  expect(() => legacyRoom.open(makeClaim({ appId: 'notes', source: 'announced' }))).toThrow(
    expect.objectContaining({ code: 'PROVIDER_INVALID' }),
  )
})
