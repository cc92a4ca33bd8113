import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { toPublishedTool } from '../../src/serve/to-published-tool.ts'
import { viewOf } from './stub-host.ts'

describe('toPublishedTool', () => {
  it('keeps schemas, icons, title and _meta equal as JSON', () => {
    const definition = {
      title: 'Search notes',
      description: 'Finds notes.',
      inputSchema: {
        type: 'object',
        properties: { q: { $ref: '#/$defs/q' } },
        $defs: { q: { type: 'string' } },
        'x-a': 1,
      },
      outputSchema: { type: 'object', properties: { hits: { type: 'array' } } },
      icons: [{ src: 'https://example.org/i.png', mimeType: 'image/png', sizes: ['48x48'] }],
      _meta: { 'example.org/order': [3, 1, 2] },
    }
    expect(toPublishedTool(viewOf({ name: 'notes__search', definition }))).toEqual({
      ...definition,
      name: 'notes__search',
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    })
  })

  it('shows the original annotations where ours differ, under a key that servers can not write', () => {
    const annotations = { readOnlyHint: true, title: 'Delete' }
    const tool = toPublishedTool(
      viewOf({
        name: 'notes__delete',
        definition: { annotations, _meta: { 'rollcall/annotations': { readOnlyHint: false }, 'rollcall/code': 'x' } },
        traits: { effect: 'write' },
      }),
    )
    expect(tool?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true, title: 'Delete' })
    expect(tool?._meta).toEqual({ 'rollcall/annotations': annotations })
  })

  it('does not pass execution, so that no client asks for a task', () => {
    const definition = { title: 'Slow', execution: { taskSupport: 'required' } }
    expect(toPublishedTool(viewOf({ name: 'notes__slow', definition }))).not.toHaveProperty('execution')
  })

  it('R-SEC-29 shows escape sequences in title and description as text', () => {
    const definition = { title: 'a\u001b[2Jb', description: 'c\u202ed\u200b', annotations: { title: 'e\u0007' } }
    const tool = toPublishedTool(viewOf({ name: 'notes__x', definition }))
    for (const text of [tool?.title, tool?.description, Object(tool?.annotations).title]) {
      expect(text).toBeTypeOf('string')
      expect(text).not.toMatch(/[\u0000-\u0008\u001b\u202e\u200b]/)
    }
  })

  it.each([
    ['a root without type', { inputSchema: { properties: { a: { type: 'string' } } } }],
    ['boolean properties', { inputSchema: { type: 'object', properties: { any: true, none: false } } }],
    ['malformed icons', { icons: { src: 7 } }],
    ['an output schema that is no object', { outputSchema: { type: 'array' } }],
  ])('publishes a tool with %s in words that clients accept', (_, definition) => {
    const tool = toPublishedTool(viewOf({ name: 'notes__odd', definition }))
    expect(tool).toBeDefined()
    expect(ListToolsResultSchema.safeParse({ tools: [tool] }).success).toBe(true)
  })

  it('leaves a tool out that no client could call', () => {
    expect(
      toPublishedTool(viewOf({ name: 'notes__bad', definition: { inputSchema: { type: 'string' } } })),
    ).toBeUndefined()
  })
})
