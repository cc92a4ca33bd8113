import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHost, createMemoryStore, localUser } from '@rollcall/host'
import { createMcp } from '@rollcall/mcp'
import { expect, it } from 'vitest'
import { root } from '../list-files.ts'

const everything = {
  server: {
    command: 'node',
    args: [join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
  },
  dataClass: 'publicContent',
  effect: 'read',
  approval: 'notNeeded',
} as const

it('what another process accepts of a server is in service in a host that is running', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-accepted-'))
  const store = createMemoryStore()
  // Two processes: one store, one lock file, nothing else in common.
  const open = async () => {
    const mcp = createMcp({ lockFile: join(folder, 'rollcall.lock.json'), folder, pinning: 'off', frozen: false })
    const host = await createHost({ store, connectMcp: mcp.connect, providers: { everything } })
    const close = async () => {
      await host[Symbol.asyncDispose]()
      await mcp[Symbol.asyncDispose]()
    }
    return { mcp, host, close }
  }
  const running = await open()
  const other = await open()
  try {
    const names = () => running.host.tools.list({ principal: localUser }).map(({ name }) => name)
    expect(names()).not.toContain('everything__echo')
    expect(await other.mcp.sync('everything', { accept: true, by: 'ann' })).toMatchObject({ status: 'pinned' })
    await expect.poll(names, { timeout: 10_000 }).toContain('everything__echo')
  } finally {
    await running.close()
    await other.close()
    await rm(folder, { recursive: true, force: true })
  }
})
