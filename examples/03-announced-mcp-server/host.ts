import { createHost, localUser } from '@rollcall/host'
import { createMcp } from '@rollcall/mcp'
import demo, { args } from './plugin.ts'

const folder = import.meta.dirname
await using mcp = createMcp({ folder, lockFile: `${folder}/rollcall.lock.json`, allowedCommands: [['node', ...args]] })
const common = { plugins: [{ appId: 'demo', plugin: demo }], connectMcp: mcp.connect }
const tools = { 'get-env': { off: true } }
const words = { demo: { dataClass: 'publicContent', effect: 'read', approval: 'notNeeded', tools } } as const

await using host = await createHost({ ...common, providers: words })
if (process.argv.includes('--accept')) {
  await mcp.sync('demo', { accept: true, by: localUser.id })
  await host.refresh()
}
await using unsaid = await createHost(common)

const echo = (from: typeof host) => from.tools.call('demo__echo', { message: 'hi' }, { principal: localUser })
const refused = await echo(unsaid)
const answered = await echo(host)
const off = await host.tools.call('demo__get-env', {}, { principal: localUser })
console.log(`listed from the lock file   ${host.tools.all().filter(({ kind }) => kind === 'mcp').length} tools`)
console.log(`the plugin's suggestion     ${refused.status}: ${refused.text}`)
console.log(`the operator's words        ${answered.status}: ${answered.text}`)
console.log(`off by the operator         ${off.status}: ${off.text}`)

if (`${refused.status} ${answered.status} ${off.status}` !== 'denied ok denied' || !answered.text.includes('hi')) {
  console.error('expected: denied, ok with the echo of "hi", denied')
  process.exitCode = 1
}
