import { deepStrictEqual, strictEqual } from 'node:assert'
import { test } from 'node:test'
import { createHost, localUser } from '@rollcall/host'
import plugin from '../src/plugin.ts'

test('answers the roll and greets', async () => {
  const host = await createHost({ plugins: [{ appId: 'weather', plugin }] })
  try {
    deepStrictEqual(host.report().findings, [])
    const outcome = await host.tools.call('weather__hello', { name: 'you' }, { principal: localUser })
    strictEqual(outcome.text, 'Hello, you!')
  } finally {
    await host[Symbol.asyncDispose]()
  }
})
