import { describe, expect, it } from 'vitest'
import { visibleSchema } from '../../src/serve/visible-schema.ts'

const tag = '\u{E0061}\u{E0062}'

describe('visibleSchema', () => {
  it('R-SEC-30 writes out what the texts of a schema hide, and leaves what a tool is called by', () => {
    const schema = {
      type: 'object',
      description: `all${tag}`,
      properties: {
        path: { type: 'string', title: 'Path\u202e', description: '\u001b[2J', enum: [`a${tag}`], default: `b${tag}` },
        description: { type: 'string', description: 'half \ud800' },
      },
    }
    expect(visibleSchema(schema)).toEqual({
      type: 'object',
      description: 'all\\u{E0061}\\u{E0062}',
      properties: {
        path: {
          type: 'string',
          title: 'Path\\u{202E}',
          description: '\\u{001B}[2J',
          enum: [`a${tag}`],
          default: `b${tag}`,
        },
        description: { type: 'string', description: 'half \\u{D800}' },
      },
    })
  })

  it('gives the schema itself where nothing is hidden', () => {
    const schema = { type: 'object', properties: { family: { description: '\u{1F468}\u200D\u{1F469}' } } }
    expect(visibleSchema(schema)).toBe(schema)
  })
})
