import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessTransport,
} from '@modelcontextprotocol/client'
import { Client as SessionClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as SessionTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
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

interface Connected extends AsyncDisposable {
  readonly client: SessionClient | StatelessClient
  /** Resolves when a stream that begins after this call has ended. */
  nextEnd(): Promise<void>
}

async function connect(token: string, era: 'session' | 'stateless' = 'session'): Promise<Connected> {
  let onEnd = () => {}
  const watched: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    const ended = onEnd
    if (response.body === null || !response.headers.get('content-type')?.includes('event-stream')) return response
    const passed = response.body.pipeThrough(new TransformStream({ flush: () => ended() }))
    return new Response(passed, response)
  }
  const address = new URL(`${url.href}/team`)
  const options = {
    fetch: watched,
    requestInit: { headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream, application/json' } },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1,
      maxReconnectionDelay: 1,
      reconnectionDelayGrowFactor: 1,
    },
  }
  const about = { name: `tester-${era}`, version: '1' }
  const client = era === 'session' ? new SessionClient(about) : new StatelessClient(about)
  if (client instanceof SessionClient) await client.connect(new SessionTransport(address, options))
  else await client.connect(new StatelessTransport(address, options))
  return {
    client,
    nextEnd() {
      const { promise, resolve } = Promise.withResolvers<void>()
      onEnd = resolve
      return promise
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
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
    await using connected = await connect(token)
    const { tools } = await connected.client.listTools()
    expect(tools.map(({ name }) => name)).toContain('demo__save')
    expect(await statusOf('', token)).toBe(404)
    expect(await statusOf('/team')).toBe(404)
    expect(await statusOf('/team', `${token.slice(0, -1)}~`)).toBe(401)
    expect(await statusOf('', 'rollcall_none')).toBe(401)
  })

  it.each(['session', 'stateless'] as const)(
    'R-SEC-24 R-GOV-42 that are revoked by another process end waiting calls of the %s era within 5 seconds',
    async (era) => {
      const { id, token } = await newKey('--profile', 'team')
      await using other = await connect((await newKey('--profile', 'team')).token)
      await using connected = await connect(token, era)
      const ended = connected.nextEnd()
      const text = `by ${era}`
      const onprogress = () => {}
      connected.client.callTool({ name: 'demo__save', arguments: { text } }, { onprogress } as never).catch(() => {})
      const waiting = async () => JSON.parse((await project.runTrusted('approvals', '--json')).stdout).approvals.length
      await expect.poll(waiting, { timeout: 20_000 }).toBe(1)
      expect((await project.runTrusted('keys', 'revoke', id)).code).toBe(0)
      const revoked = performance.now()
      await ended
      expect(performance.now() - revoked).toBeLessThan(5_000)
      // Nobody waits for it any more: it is withdrawn, and can not be approved.
      await expect.poll(waiting, { timeout: 20_000 }).toBe(0)
      expect(await statusOf('/team', token)).toBe(401)
      expect((await other.client.listTools()).tools.length).toBeGreaterThan(0)
    },
    60_000,
  )

  it('R-GOV-40 are listed without their secrets, and bad words make none', async () => {
    const { id, token } = await newKey('--profile', 'team', '--label', 'ci', '--expires', '1d', '--service')
    const { stdout } = await project.runTrusted('keys', 'list')
    expect(stdout).toContain(id)
    expect(stdout).toMatch(/jo \(service\)/)
    // A secret may hold the sign that parts a token.
    expect(stdout).not.toContain(token.slice(-43))
    const bad = await project.runTrusted('keys', 'add', '--person', 'jo', '--profile', 'nope')
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('KEY_INVALID')])
    expect((await project.runTrusted('keys', 'revoke', 'nope')).stderr).toContain('KEY_INVALID')
  })
})
