import { createHost, localUser } from '@rollcall/host'
import weather from '../01-one-plugin/src/plugin.ts'

await using host = await createHost({ plugins: [{ appId: 'weather', plugin: weather }] })
for (const { code, message, hint } of host.report().findings) console.warn(code, message, hint)
const outcome = await host.tools.call('weather__hello', { name: 'Oslo' }, { principal: localUser })
console.log(outcome.status, outcome.text)

if (outcome.text !== 'Hello, Oslo!') {
  console.error(`expected "Hello, Oslo!", got ${outcome.status} ${JSON.stringify(outcome.text)}`)
  process.exitCode = 1
}
