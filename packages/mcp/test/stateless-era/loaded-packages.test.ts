import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { fixtures } from '../open-project.ts'

const run = promisify(execFile)

async function loadedBy(server: string, protocol: string): Promise<unknown> {
  const args = [join(fixtures, 'loaded-packages.ts'), join(fixtures, `${server}.mjs`), protocol]
  const { stdout } = await run(process.execPath, args, { timeout: 25_000 })
  return JSON.parse(stdout)
}

describe('a connection', () => {
  it.each([
    ['session', 'stateless-stdio', 'session', ['sdk']],
    ['stateless', 'stateless-stdio', 'stateless', ['client', 'core']],
    ['auto', 'stateless-stdio', 'stateless', ['client', 'core']],
    ['auto', 'asking-server', 'session', ['sdk']],
  ])('by %s to %s loads only what the era %s needs', async (protocol, server, era, loaded) => {
    expect(await loadedBy(server, protocol)).toEqual({ before: [], loaded, era })
  })
})
