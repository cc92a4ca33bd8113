import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const keepCompiled = fileURLToPath(new URL('../src/keep-compiled.ts', import.meta.url))
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-compiled-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

describe('keepCompiled', () => {
  it('keeps compiled code in a folder that only the user may enter', async () => {
    await run({ XDG_CACHE_HOME: folder })
    const kept = join(folder, 'rollcall', 'compiled')
    expect((await stat(kept)).mode & 0o777).toBe(0o700)
    expect(await readdir(kept)).not.toEqual([])
  })

  it('takes no relative folder, which would lie in the working folder', async () => {
    await run({ XDG_CACHE_HOME: 'here', HOME: join(folder, 'home') })
    expect(await readdir(folder)).not.toContain('here')
    expect(await readdir(join(folder, 'home', '.cache', 'rollcall'))).toEqual(['compiled'])
  })

  it('says nothing when the folder can not be made', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    expect(await run({ XDG_CACHE_HOME: file })).toBe('done')
  })
})

/** In a process of its own: what is enabled stays enabled. */
async function run(env: Readonly<Record<string, string>>): Promise<string> {
  const code = `(await import(${JSON.stringify(keepCompiled)})).keepCompiled(process.env)
    await import(${JSON.stringify(fileURLToPath(new URL('../src/version.ts', import.meta.url)))})
    console.log('done')`
  const { all } = await execa(process.execPath, ['--input-type=module', '-e', code], {
    cwd: folder,
    // The tests have a cache of their own, named by a variable that would count here.
    env: { NODE_COMPILE_CACHE: undefined, ...env },
    all: true,
  })
  return all
}
