import type { JsonObject } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { lintSchema } from '../../src/catalogue/lint-schema.ts'
import { capturedTools, hasCapturedLists } from './captured-lists.ts'

// Spelt so that nothing takes the schema for a promise.
const thenKey = 'then'

function whyNot(schema: JsonObject): string {
  const linted = lintSchema(schema)
  return linted.ok ? 'sound' : linted.why
}

const object = (more: JsonObject): JsonObject => ({ type: 'object', ...more })

describe('a sound schema', () => {
  it.each<[string, JsonObject]>([
    [
      'combines conditions at its root',
      object({ allOf: [{ if: { required: ['a'] }, [thenKey]: { required: ['b'] } }] }),
    ],
    ['has boolean subschemas', object({ properties: { any: true, none: false }, additionalProperties: false })],
    ['refers to $defs', object({ properties: { f: { $ref: '#/$defs/F' } }, $defs: { F: { type: 'string' } } })],
    ['refers to definitions', object({ properties: { f: { $ref: '#/definitions/F' } }, definitions: { F: {} } })],
    [
      'refers to a nested place',
      object({ properties: { a: { $defs: { V: {} }, properties: { v: { $ref: '#/properties/a/$defs/V' } } } } }),
    ],
    ['refers to itself', object({ properties: { child: { $ref: '#' } } })],
    ['escapes its pointers', object({ properties: { a: { $ref: '#/$defs/a~1b~0c%20d' } }, $defs: { 'a/b~c d': {} } })],
    ['refers to an anchor', object({ properties: { a: { $ref: '#here' } }, $defs: { x: { $anchor: 'here' } } })],
    [
      'refers to an $id of its own',
      object({
        $id: 'https://example.test/root',
        properties: { a: { $ref: 'part' }, b: { $ref: 'https://example.test/root#/properties/a' } },
        $defs: { x: { $id: 'part', type: 'string' } },
      }),
    ],
    [
      'refers to a place that no keyword leads to',
      object({ properties: { a: { $ref: '#/parts/x' } }, parts: { x: { type: 'string' } } }),
    ],
    [
      'has a property named like a keyword',
      object({ properties: { $ref: { type: 'string' }, type: { type: 'string' } } }),
    ],
    [
      'has the flags of old drafts',
      object({ properties: { a: { minimum: 1, exclusiveMinimum: true, required: true } } }),
    ],
  ])('%s', (_, schema) => {
    expect(whyNot(schema)).toBe('sound')
  })
})

describe('an unsound schema', () => {
  it.each<[string, JsonObject, RegExp]>([
    [
      'a dangling reference',
      object({ properties: { a: { $ref: '#/$defs/View' } } }),
      /\/properties\/a refers to "#\/\$defs\/View"/,
    ],
    ['a remote reference', object({ $ref: 'https://example.test/other.json' }), /not in this schema/],
    ['a reference to no schema', object({ title: 'x', properties: { a: { $ref: '#/title' } } }), /is no schema/],
    ['a broken escape', object({ $ref: '#/%E0%A4%A' }), /not in this schema/],
    ['an unknown type', object({ properties: { a: { type: 'str' } } }), /\/properties\/a\/type must be one of/],
    ['an empty list of types', object({ properties: { a: { type: [] } } }), /must be one of/],
    ['a pattern that can not run in linear time', object({ properties: { a: { pattern: '(?=a)b' } } }), /linear time/],
    ['such a pattern for names', object({ patternProperties: { '(a)\\1': {} } }), /linear time/],
    ['a subschema that is none', object({ properties: { a: 'string' } }), /\/properties\/a must be a schema/],
    ['a list where a schema belongs', object({ additionalProperties: [] }), /must be a schema/],
    ['a list where a map belongs', object({ properties: [] }), /\/properties must be an object/],
    ['names that are no list', object({ required: 'a' }), /\/required must be a list of names/],
    ['a limit that is no number', object({ properties: { a: { maxLength: '3' } } }), /must be a whole number/],
    ['a key __proto__', JSON.parse('{"type":"object","properties":{"__proto__":{}}}') as JsonObject, /__proto__/],
    [
      'a fault in a part that is only referred to',
      object({ $ref: '#/parts/x', parts: { x: { type: 'nope' } } }),
      /must be one of/,
    ],
  ])('has %s', (_, schema, why) => {
    expect(whyNot(schema)).toMatch(why)
  })

  it('may name __proto__ in a text', () => {
    expect(whyNot(object({ description: 'the key "__proto__": is refused', enum: ['__proto__'] }))).toBe('sound')
  })

  it('is larger than 64 KB', () => {
    expect(whyNot(object({ description: 'x'.repeat(65_000) }))).toBe('sound')
    expect(whyNot(object({ description: 'ä'.repeat(40_000) }))).toMatch(/64 KB/)
  })

  it('lies deeper than 32 levels', () => {
    const nested = (levels: number): JsonObject => (levels === 0 ? {} : { items: nested(levels - 1) })
    expect(whyNot(nested(32))).toBe('sound')
    expect(whyNot(nested(33))).toMatch(/32 levels/)
  })

  it('R-SEC-12 is a bomb of references, counted without being expanded', () => {
    const bomb = (levels: number): JsonObject =>
      object({
        $ref: '#/$defs/d0',
        $defs: Object.fromEntries([
          ...Array.from({ length: levels }, (_, n) => [
            `d${n}`,
            { anyOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
          ]),
          [`d${levels}`, {}],
        ]),
      })
    const small = lintSchema(bomb(10))
    expect(small.ok && small.nodes).toBeGreaterThan(2 ** 10)
    const startedAt = performance.now()
    expect(whyNot(bomb(200))).toMatch(/20000 nodes/)
    expect(performance.now() - startedAt).toBeLessThan(250)
  })

  it('R-SEC-12 has patterns that are cheap alone and too large together', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [`p${n}`, { pattern: `a{${500 + n}}` }]),
    )
    expect(whyNot(object({ properties }))).toMatch(/patterns too large/)
  })
})

describe.skipIf(!hasCapturedLists)('the captured lists of public servers', () => {
  it('R-SEC-12 are sound, all of their patterns included', () => {
    const faults = capturedTools().flatMap(({ server, tool }) =>
      [tool.inputSchema, tool.outputSchema as JsonObject | undefined]
        .filter((schema) => schema !== undefined)
        .map((schema) => whyNot(schema))
        .filter((why) => why !== 'sound')
        .map((why) => `${server} ${tool.name}: ${why}`),
    )
    expect(faults).toEqual([])
  })
})
