import { describe, expect, it } from 'vitest'
import { codesIn, failureOf, heldIn, list, settled, textOf } from '../observe.ts'
import { callBy, fixture, openProject } from '../open-project.ts'

describe('odd tools', () => {
  it('cost themselves only, and the others pass unchanged', async () => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'odd', fixture('odd-tools'))
    const listing = await settled(provider)
    expect(Object.keys(heldIn(listing))).toEqual(['cond', 'list', 'missing', 'nothing', 'ok', 'text'])
    expect(listing.tools).toContainEqual(
      expect.objectContaining({
        name: 'ok',
        definition: {
          title: 'Okay',
          description: 'The tool ok.',
          inputSchema: { type: 'object' },
          icons: [{ src: 'data:,' }],
          _meta: { 'x/y': [1, { deep: true }] },
          annotations: { readOnlyHint: true },
        },
      }),
    )
    expect(JSON.stringify(listing.tools[0])).toContain('"allOf":[{"if":')
    expect(codesIn(listing).toSorted()).toEqual(['SERVER_PINNED', 'TOOL_INVALID', 'TOOL_INVALID', 'TOOL_NAME_MET'])
    expect(textOf(await provider.call('cond', { mode: 's', n: 50 }, callBy()))).toBe('cond:{"mode":"s","n":50}')
  })
})

describe('a list without end', () => {
  it.each([
    ['circle', 3, 'comes back'],
    ['forever', 50, '50 pages'],
    ['crowd', 500, '500 tools'],
    ['heavy', 2, '2000000 bytes'],
  ])('(%s) is cut, with a finding', async (kind, tools, why) => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'endless', fixture('endless', { LIST: kind }))
    const listing = await settled(provider)
    expect(listing.tools).toHaveLength(tools)
    expect(listing.findings.filter(({ code }) => code === 'SERVER_PROTOCOL').map(({ message }) => message)).toEqual([
      expect.stringContaining(why),
    ])
  })

  it('is read to its end where it has one', async () => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'endless', fixture('endless', { LIST: 'pages' }))
    expect(heldIn(await settled(provider))).toEqual({ a: '', b: '' })
  })

  it('that is no list at all fails its server only', async () => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'endless', fixture('endless', { LIST: 'noList' }))
    expect((await failureOf(settled(provider))).code).toBe('SERVER_PROTOCOL')
    expect((await failureOf(list(provider))).code).toBe('SERVER_PROTOCOL')
  })
})
