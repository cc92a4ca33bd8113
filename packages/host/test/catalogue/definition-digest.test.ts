import { describe, expect, it } from 'vitest'
import { definitionDigest } from '../../src/catalogue/definition-digest.ts'

const origin = { appId: 'notes', owner: 'configuration', launch: `sha256:${'0'.repeat(64)}` } as const
const tool = {
  name: 'read',
  definition: {
    title: 'Read',
    description: 'Reads a note.',
    inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
    outputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  },
}
const digest = definitionDigest(origin, tool)

describe('definitionDigest', () => {
  it('is the same for the same definition, whatever the order of its keys', () => {
    const { annotations, ...rest } = tool.definition
    expect(definitionDigest({ ...origin }, { definition: { annotations, ...rest }, name: 'read' })).toBe(digest)
  })

  it.each<[string, string]>([
    ['appId', definitionDigest({ ...origin, appId: 'other' }, tool)],
    ['owner', definitionDigest({ ...origin, owner: 'other' }, tool)],
    ['launch', definitionDigest({ ...origin, launch: `sha256:${'1'.repeat(64)}` }, tool)],
    ['absence of a launch', definitionDigest({ appId: 'notes', owner: 'configuration' }, tool)],
    ['name', definitionDigest(origin, { ...tool, name: 'Read' })],
    ...Object.keys(tool.definition).map((key): [string, string] => [
      key,
      definitionDigest(origin, { ...tool, definition: { ...tool.definition, [key]: undefined } }),
    ]),
  ])('is another for another %s', (_, other) => {
    expect(other).not.toBe(digest)
  })

  it('does not look at what consumers are not told', () => {
    expect(definitionDigest(origin, { ...tool, definition: { ...tool.definition, _meta: { x: 1 } } as never })).toBe(
      digest,
    )
  })
})
