import { expect, it } from 'vitest'
import { readingTool } from '../plugins-in-code.ts'
import { asLocal, hostWith } from './host-with.ts'

const anything = readingTool('any', { input: { type: 'object' } as never, execute: (args) => JSON.stringify(args) })

it.each([
  ['half a character', '{"text":"\\ud800"}'],
  ['half a character in a key', '{"\\udc00":1}'],
  ['half a character in an object', { text: '\ud800' }],
  ['a number beyond all bounds', '{"n":1e999}'],
  ['a key that changes what an object is', '{"a":{"__proto__":{"admin":true}}}'],
  ['an invisible mark before the text', '\ufeff{"text":"x"}'],
  [
    'a cycle',
    (() => {
      const cycle: Record<string, unknown> = {}
      cycle.self = cycle
      return cycle
    })(),
  ],
  [
    'a value that throws when it is read',
    {
      toJSON() {
        throw null
      },
    },
  ],
])('R-GOV-07 %s fails, and nothing rejects', async (_what, args) => {
  await using app = await hostWith([anything])
  expect(await app.host.tools.call('app__any', args, asLocal)).toMatchObject({
    status: 'failed',
    code: 'TOOL_ARGUMENTS_INVALID',
  })
})

it('of a key written twice the last counts for everybody, and minus zero is zero', async () => {
  await using app = await hostWith([anything])
  expect(await app.host.tools.call('app__any', '{"a":1,"a":-0}', asLocal)).toMatchObject({ text: '{"a":0}' })
})

it('empty text is no arguments only where the schema can have no properties', async () => {
  const composed = readingTool('composed', {
    input: { type: 'object', anyOf: [{ properties: { a: { type: 'string' } } }] } as never,
  })
  await using app = await hostWith([anything, composed])
  expect(await app.host.tools.call('app__any', '', asLocal)).toMatchObject({ status: 'ok' })
  expect(await app.host.tools.call('app__composed', '', asLocal)).toMatchObject({ code: 'TOOL_ARGUMENTS_INVALID' })
})
