import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, it } from 'vitest'
import { runInProcess } from '../in-process.ts'
import { makeProject } from '../project.ts'

it('tells of every server how it is, and starts none for that', async () => {
  const providers = { one: { command: 'node', args: ['s.mjs'] } }
  await using project = await makeProject({
    'rollcall.config.json': { providers },
    's.mjs': "await (await import('node:fs/promises')).writeFile('started', '')",
  })
  const { code, stdout } = await runInProcess(project, ['status', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout).servers).toEqual([
    { appId: 'one', transport: 'stdio', state: 'idle', noiseLines: 0, connections: 0, unattributed: 0 },
  ])
  await expect(access(join(project.folder, 'started'))).rejects.toThrow('ENOENT')
})

const breaking = `import { existsSync } from 'node:fs'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
if (existsSync('broken')) process.exit(3)
const server = new Server({ name: 'one', version: '1.0.0' }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: 'go', inputSchema: { type: 'object' } }] }))
server.setRequestHandler(CallToolRequestSchema, () => ({ content: [{ type: 'text', text: 'done' }] }))
await server.connect(new StdioServerTransport())
`

it('tells in a second terminal when a server of the running host is tried next', async () => {
  const words = { dataClass: 'publicContent', effect: 'read', approval: 'notNeeded' }
  await using project = await makeProject({
    'rollcall.config.json': { providers: { one: { command: 'node', args: ['s.mjs'], ...words } }, http: { port: 0 } },
    's.mjs': breaking,
  })
  expect((await project.runTrusted('sync', '--accept')).code).toBe(0)
  await project.write({ broken: 'yes' })
  const running = project.begin('--config', 'rollcall.config.json', 'serve')
  const [address = ''] = await running.output(/http:\/\/127\.0\.0\.1:\d+\/mcp/)
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(address)))
  for (const _ of [1, 2, 3]) expect(await client.callTool({ name: 'one__go' })).toMatchObject({ isError: true })

  // Where the next try is due already it is no time of the future: a call makes it fail anew.
  await expect
    .poll(
      async () => {
        await client.callTool({ name: 'one__go' })
        return JSON.parse((await project.runTrusted('status', '--json')).stdout)
      },
      { timeout: 20_000 },
    )
    .toMatchObject({ servers: [{ appId: 'one', state: 'failing', nextTryAt: expect.any(Number) }] })
  expect((await project.runTrusted('status', '--json')).stdout).not.toContain('stderrTail')
  await expect
    .poll(
      async () => {
        await client.callTool({ name: 'one__go' })
        return (await project.runTrusted('status')).stdout.replace(/\s+/g, ' ')
      },
      { timeout: 20_000 },
    )
    .toMatch(/exit code 3.* The next try is in \d+/)
  await client.close()
  running.child.kill('SIGTERM')
  await running.ended
}, 60_000)
