import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHost, createMemoryStore, localClient } from '@rollcall/host'
import { createKeylessAuthenticate, createMcp } from '@rollcall/mcp'
import { expect } from 'vitest'
import { createFace } from '../../packages/mcp/src/serve/create-face.ts'
import { listen } from '../../packages/mcp/test/serve/listen.ts'

/** One server of the fixtures, served bare under everything that may be asked of a client. */
export interface Served extends AsyncDisposable {
  readonly url: string
  /** Temporary; gone with the rest. */
  readonly folder: string
}

/** @param fixture name of a file in `test/fixtures`, without its ending */
export async function openServed(
  fixture: string,
  options: Pick<Parameters<typeof createFace>[1], 'limits'> = {},
): Promise<Served> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'rollcall-conformance-')))
  const env = { ...process.env, CI: '' }
  const mcp = createMcp({ lockFile: join(folder, 'rollcall.lock.json'), folder, env })
  const store = createMemoryStore()
  const server = { command: 'node', args: [join(import.meta.dirname, '../fixtures', `${fixture}.mjs`)] }
  const host = await createHost({
    providers: { fixture: { server, dataClass: 'publicContent', effect: 'read', approval: 'notNeeded' } },
    profiles: [{ name: 'default', zone: 'local', sampling: true }],
    connectMcp: mcp.connect,
    store,
  })
  const isStarting = () => host.report().providers.some(({ from }) => from.endsWith('starting'))
  await expect.poll(isStarting, { timeout: 20_000, interval: 20 }).toBe(false)
  const authenticate = createKeylessAuthenticate({ boundTo: '127.0.0.1', profiles: [], principal: localClient })
  const listening = await listen(createFace(host, { profiles: [], authenticate, bare: 'fixture', ...options }))
  return {
    url: `${listening.origin}/mcp`,
    folder,
    async [Symbol.asyncDispose]() {
      await listening[Symbol.asyncDispose]()
      await host[Symbol.asyncDispose]()
      await mcp[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
