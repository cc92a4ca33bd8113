import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { openCaseFolder, openClient, serverIn } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('02')

describe.skipIf(folder === undefined)('schemas of results that can not be resolved', () => {
  it.each(['', 'untyped_out'])('cost nobody else, with "%s" left out', async (skipped) => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c02: serverIn(folder ?? '', { SKIP: skipped }) })
    await opened.settled()
    await using face = await openClient(opened)
    const { tools } = await face.client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['c02__plain', 'c02__nested', 'c02__filter']))

    const filter = tools.find(({ name }) => name === 'c02__filter')?.inputSchema
    expect(filter).toMatchObject({
      additionalProperties: false,
      properties: { f: { $ref: '#/$defs/Fit' } },
      $defs: { Fit: { enum: ['fit', 'raw'] } },
    })

    const call = (name: string, args: Record<string, unknown> = {}) =>
      face.client.request({ method: 'tools/call', params: { name, arguments: args } }, CallToolResultSchema)
    expect(await call('c02__plain')).toMatchObject({ content: [{ text: 'plain {}' }] })
    expect(await call('c02__filter', { f: 'raw' })).toMatchObject({ content: [{ text: 'filter {"f":"raw"}' }] })
    expect(await call('c02__filter', { f: 'nope' })).toMatchObject({ isError: true })
    expect(await call('c02__nested')).toMatchObject({ structuredContent: { a: { v: 7 } } })
    if (names.includes('c02__dangling')) {
      const { content } = await call('c02__dangling')
      expect(content.length).toBeGreaterThan(0)
    }
    expect(await call('c02__plain')).toMatchObject({ content: [{ text: 'plain {}' }] })
    expect(opened.mcp.servers()).toMatchObject([{ state: 'ready' }])
  })

  it('are told, each with its tool', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c02: serverIn(folder ?? '') })
    await opened.settled()
    const told = opened.host.report().findings.map(({ about }) => about.tool ?? '')
    expect(told.filter((tool) => tool.includes('dangling') || tool.includes('untyped_out')).length).toBeGreaterThan(0)
    expect(told.filter((tool) => tool.includes('plain') || tool.includes('filter'))).toEqual([])
  })
})
