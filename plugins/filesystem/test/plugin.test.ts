import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHost, type McpClaim } from '@rollcall/host'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import plugin from '../src/plugin.ts'
import { serverEntry } from '../src/server-entry.ts'

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rollcall-filesystem-'))
})

afterEach(() => rm(root, { recursive: true, force: true }))

const entryFor = (options: { readonly [key: string]: string }) => ({ appId: 'filesystem', plugin, options })

describe('the filesystem plugin', () => {
  it('announces the server for its one folder, which it makes', async () => {
    const folder = join(root, 'files')
    const claims: McpClaim[] = []
    await using _host = await createHost({
      plugins: [entryFor({ folder })],
      async connectMcp(claim) {
        claims.push(claim)
        return {
          list: async () => ({ tools: [], holds: [], findings: [], detail: '' }),
          call: async () => ({}),
          async [Symbol.asyncDispose]() {},
        }
      },
    })
    expect(claims).toMatchObject([
      { appId: 'filesystem', source: 'announced', server: { command: 'node', args: [serverEntry(), folder] } },
    ])
    expect((await stat(folder)).isDirectory()).toBe(true)
  })

  it('is held where the host has no connector', async () => {
    await using host = await createHost({ plugins: [entryFor({ folder: root })] })
    expect(host.report().providers).toContainEqual(
      expect.objectContaining({ appId: 'filesystem', kind: 'mcp', source: 'announced', state: 'held' }),
    )
  })

  it('fails alone where its folder is a file', async () => {
    const folder = join(root, 'file')
    await writeFile(folder, 'kept')
    await using host = await createHost({ plugins: [entryFor({ folder })] })
    expect(host.report().providers).toContainEqual(
      expect.objectContaining({ appId: 'filesystem', state: 'failed', message: expect.stringContaining('is a file') }),
    )
  })

  it('fails alone without its option', async () => {
    await using host = await createHost({ plugins: [entryFor({})] })
    expect(host.report().findings).toMatchObject([{ severity: 'error', message: expect.stringContaining('folder') }])
  })
})
