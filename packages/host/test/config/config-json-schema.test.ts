import Schema from 'typebox/schema'
import { expect, it } from 'vitest'
import { configJsonSchema } from '../../src/config/config-json-schema.ts'
import { configSchema } from '../../src/config/config-schema.ts'

it('is plain JSON Schema with every key of the configuration', () => {
  const schema = configJsonSchema()
  expect(JSON.parse(JSON.stringify(schema))).toEqual(schema)
  expect(Object.keys(schema.properties ?? {})).toEqual(Object.keys(configSchema.properties))
  expect(JSON.stringify(schema)).not.toMatch(/"(noun|keyNoun|concealed|json|check)":/)
})

it.each([
  [{ plugins: ['a', ['b', {}]], profiles: { a: { zone: 'local' } }, store: 'memory:' }, true],
  [{ profiles: { a: { zone: 3 } } }, false],
  [{ plguins: [] }, false],
])('judges %j as our own check does', (config, isValid) => {
  expect(Schema.Compile(configJsonSchema()).Check(config)).toBe(isValid)
})
