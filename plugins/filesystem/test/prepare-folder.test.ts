import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { prepareFolder } from '../src/prepare-folder.ts'

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rollcall-filesystem-'))
})

afterEach(() => rm(root, { recursive: true, force: true }))

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

describe('prepareFolder', () => {
  it('makes a folder that only its owner can read', async () => {
    await prepareFolder(join(root, 'some', 'files'))
    expect(await modeOf(join(root, 'some', 'files'))).toBe(0o700)
  })

  it('leaves a folder that exists as it is', async () => {
    await chmod(root, 0o755)
    await prepareFolder(root)
    expect(await modeOf(root)).toBe(0o755)
  })

  it('refuses a file, and what lies below one', async () => {
    const file = join(root, 'file')
    await writeFile(file, 'kept')
    await expect(prepareFolder(file)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('is a file'),
    })
    await expect(prepareFolder(join(file, 'below'))).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })
})
