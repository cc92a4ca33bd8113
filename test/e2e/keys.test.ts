import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeProject, type Project, pluginFiles, toolSource } from '../../packages/cli/test/project.ts'

let project: Project
let url: URL
beforeAll(async () => {
  project = await makeProject({
    'rollcall.config.json': {
      plugins: ['./plugins/demo'],
      http: { port: 0 },
      profiles: { team: { zone: 'local', serve: true } },
    },
    ...pluginFiles('demo', toolSource.save),
  })
  expect((await project.runTrusted('enable', 'demo__save')).code).toBe(0)
  const { output } = project.begin('--config', 'rollcall.config.json', 'serve')
  const [address = ''] = await output(/http:\/\/127\.0\.0\.1:\d+\/mcp/)
  url = new URL(address)
})
afterAll(() => project[Symbol.asyncDispose]())

async function newKey(...words: readonly string[]): Promise<{ readonly id: string; readonly token: string }> {
  const { stdout, code } = await project.runTrusted('keys', 'add', '--json', '--person', 'jo', ...words)
  expect(code).toBe(0)
  return JSON.parse(stdout)
}

async function connect(token: string, path = '/team'): Promise<Client & { ended: Promise<void> }> {
  const client = new Client({ name: 'tester', version: '1' })
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const transport = new StreamableHTTPClientTransport(new URL(`${url.href}${path}`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1,
      maxReconnectionDelay: 1,
      reconnectionDelayGrowFactor: 1,
    },
  })
  await client.connect(transport)
  client.onerror = () => resolve()
  return Object.assign(client, { ended })
}

const statusOf = async (path: string, token?: string) => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const answer = await fetch(new URL(`${url.href}${path}`), {
    method: 'POST',
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  })
  await answer.body?.cancel()
  return answer.status
}

describe('keys at /mcp', () => {
  it('R-SEC-08 R-GOV-41 open the profiles that they are bound to, and no other', async () => {
    const { token } = await newKey('--profile', 'team')
    await using client = await connect(token).then(disposing)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('demo__save')
    expect(await statusOf('', token)).toBe(404)
    expect(await statusOf('/team')).toBe(404)
    expect(await statusOf('/team', `${token.slice(0, -1)}~`)).toBe(401)
    expect(await statusOf('', 'rollcall_none')).toBe(401)
  })

  it('R-SEC-24 R-GOV-42 that are revoked by another process end streams and waiting calls within 5 seconds', async () => {
    const { id, token } = await newKey('--profile', 'team')
    await using other = await connect((await newKey('--profile', 'team')).token).then(disposing)
    const client = await connect(token)
    const waiting = client.callTool({ name: 'demo__save', arguments: { text: 'milk' } }).then(
      () => 'answered',
      () => 'ended',
    )
    await expect
      .poll(async () => JSON.parse((await project.runTrusted('approvals', '--json')).stdout).approvals.length, {
        timeout: 20_000,
      })
      .toBe(1)
    const begun = performance.now()
    expect((await project.runTrusted('keys', 'revoke', id)).code).toBe(0)
    await client.ended
    expect(await waiting).toBe('ended')
    // The command itself takes its time on a busy machine.
    expect(performance.now() - begun).toBeLessThan(10_000)
    expect(await statusOf('/team', token)).toBe(401)
    expect((await other.listTools()).tools.length).toBeGreaterThan(0)
    await client.close()
  })

  it('R-GOV-40 are listed without their secrets, and bad words make none', async () => {
    const { id, token } = await newKey('--profile', 'team', '--label', 'ci', '--expires', '1d', '--service')
    const { stdout } = await project.runTrusted('keys', 'list')
    expect(stdout).toContain(id)
    expect(stdout).toMatch(/jo \(service\)/)
    expect(stdout).not.toContain(token.split('_').at(-1))
    const bad = await project.runTrusted('keys', 'add', '--person', 'jo', '--profile', 'nope')
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('KEY_INVALID')])
    expect((await project.runTrusted('keys', 'revoke', 'nope')).stderr).toContain('KEY_INVALID')
  })
})

function disposing(client: Client): Client & AsyncDisposable {
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}
