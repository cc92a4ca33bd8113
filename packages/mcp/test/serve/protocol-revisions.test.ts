import { PassThrough } from 'node:stream'
import { localClient } from '@rollcall/host'
import { afterEach, describe, expect, it } from 'vitest'
import { serveStdio } from '../../src/serve/serve-stdio.ts'
import { openRawSession, serveStub } from './face-clients.ts'
import { createStubHost } from './stub-host.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const revisions = ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']

async function overStdio(protocolVersion: string): Promise<unknown> {
  const input = new PassThrough()
  const output = new PassThrough()
  const { host } = createStubHost([{ name: 'notes__a' }])
  const over = serveStdio(host, { profile: 'default', principal: localClient, input, output })
  const line = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'old', version: '1' } }
  line({ id: 1, method: 'initialize', params })
  line({ method: 'notifications/initialized' })
  line({ id: 2, method: 'tools/list' })
  input.end()
  await over
  const [begun, listed] = String(output.read())
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
  return [begun.result.protocolVersion, listed.result.tools.length]
}

async function overHttp(protocolVersion: string): Promise<unknown> {
  const server = await serveStub([{ name: 'notes__a' }])
  open.push(server)
  const session = await openRawSession(server, protocolVersion)
  const { result } = (await (await session.post({ jsonrpc: '2.0', id: 2, method: 'tools/list' })).json()) as {
    result: { tools: unknown[] }
  }
  return [session.version, result.tools.length]
}

describe('revisions of the protocol that begin with initialize', () => {
  it.each(revisions)('%s is spoken on both transports', async (revision) => {
    expect(await overStdio(revision)).toEqual([revision, 1])
    expect(await overHttp(revision)).toEqual([revision, 1])
  })

  it('a client of an unknown one is offered the latest', async () => {
    expect(await overStdio('1999-01-01')).toEqual(['2025-11-25', 1])
    expect(await overHttp('1999-01-01')).toEqual(['2025-11-25', 1])
  })
})
