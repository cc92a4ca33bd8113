import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

const folder = import.meta.dirname
const rollcall = fileURLToPath(import.meta.resolve('rollcall'))
const transport = new StdioClientTransport({
  command: process.execPath,
  args: [rollcall, 'serve', '--stdio', '--profile', 'default', '--config', `${folder}/rollcall.config.json`],
  env: { ...getDefaultEnvironment(), ROLLCALL_STATE_DIR: process.env.ROLLCALL_STATE_DIR ?? `${folder}/.rollcall` },
})
const client = new Client({ name: 'desktop-client', version: '1.0.0' })
await client.connect(transport)

const { tools } = await client.listTools()
const names = tools.map(({ name }) => name)
const call = async (name: string, args: Record<string, unknown> = {}) =>
  JSON.stringify((await client.callTool({ name, arguments: args })).content)
const answers = [
  await call('everything__echo', { message: 'hi' }),
  await call('filesystem__read_text_file', { path: 'hello.txt' }),
  await call('memory__read_graph'),
]
await client.close()
console.log(`${names.length} tools of three servers`, answers)

const wanted = [/Echo: hi/, /Hello from a file/, /entities/]
if (!wanted.every((pattern, index) => pattern.test(answers[index] ?? '')) || names.includes('everything__get-env')) {
  console.error(`expected answers that match ${wanted.join(', ')}, and no everything__get-env`)
  process.exitCode = 1
}
