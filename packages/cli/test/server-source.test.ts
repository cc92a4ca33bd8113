import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { serverSource } from '../src/server-source.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-source-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const from = (newest?: string) => ({
  folder,
  isCommandLine: false,
  signal: new AbortController().signal,
  newestVersion: async () => newest,
})

describe('how a server is started', () => {
  it('takes an address', async () => {
    const found = await serverSource(['https://docs.test/mcp'], from())
    expect(found.server).toEqual({ url: 'https://docs.test/mcp' })
  })

  it('takes a command line as it is', async () => {
    const found = await serverSource(['node', 'server.mjs', '-x'], { ...from(), isCommandLine: true })
    expect(found.server).toEqual({ command: 'node', args: ['server.mjs', '-x'] })
  })

  it('takes the program of a package that is installed, relative to the configuration', async () => {
    const root = join(folder, 'node_modules', '@acme', 'docs')
    await mkdir(root, { recursive: true })
    const manifest = { version: '1.2.3', bin: { docs: 'dist/cli.js', other: 'x.js' } }
    await writeFile(join(root, 'package.json'), JSON.stringify(manifest))
    const found = await serverSource(['@acme/docs'], from('9.9.9'))
    expect(found.server).toEqual({ command: 'node', args: ['node_modules/@acme/docs/dist/cli.js'] })
    expect(found.isUnpinned).toBe(false)
  })

  it('pins a package that is not installed to the version that the registry has', async () => {
    const found = await serverSource(['@acme/docs@^4'], from('4.1.1'))
    expect(found.server).toEqual({ command: 'npx', args: ['-y', '@acme/docs@4.1.1'] })
  })

  it('keeps an exact version without asking', async () => {
    const asked = { ...from(), newestVersion: () => Promise.reject(new TypeError('asked')) }
    expect((await serverSource(['docs@1.0.0'], asked)).server).toEqual({ command: 'npx', args: ['-y', 'docs@1.0.0'] })
  })

  it('says so when no version is found', async () => {
    expect(await serverSource(['docs'], from(undefined))).toMatchObject({
      isUnpinned: true,
      server: { command: 'npx', args: ['-y', 'docs'] },
    })
  })

  it.each([[['a b']], [['docs', 'more']], [['../x']], [['-y']]])('refuses %j', async (words) => {
    await expect(serverSource(words, from('1.0.0'))).rejects.toMatchObject({ code: 'USAGE' })
  })
})
