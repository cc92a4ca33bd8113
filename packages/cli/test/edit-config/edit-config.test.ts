import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { editConfig } from '../../src/edit-config/edit-config.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-edit-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const preset = { path: ['providers', 'docs', 'preset'], value: 'docs' } as const

async function edited(name: string, text: string, edits: Parameters<typeof editConfig>[2]): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, text)
  expect(await editConfig(file, folder, edits)).toEqual({ kind: 'written', file })
  return readFile(file, 'utf8')
}

describe('editing a configuration', () => {
  it('keeps comments, order and formatting of JSON', async () => {
    const text =
      '{\n\t// why it is here\n\t"providers": {\n\t\t"docs": { "url": "https://docs.test/mcp" } // last\n\t}\n}\n'
    const after = await edited('rollcall.config.json', text, [preset])
    expect(after).toContain('// why it is here')
    expect(after).toContain('// last')
    expect(after).toContain('"preset": "docs"')
    expect(after.replace(/,\s*"preset": "docs"/, '').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
  })

  it('keeps a byte order mark and Windows line ends', async () => {
    const after = await edited('rollcall.config.json', '\uFEFF{\r\n  "plugins": []\r\n}\r\n', [preset])
    expect(after.startsWith('\uFEFF{\r\n  "plugins": [],\r\n  "providers"')).toBe(true)
    expect(after.replaceAll('\r\n', '')).not.toContain('\n')
  })

  it('keeps comments and order of YAML', async () => {
    const text = '# top\nplugins:\n  - ./weather # the first\nproviders:\n  docs:\n    url: https://docs.test/mcp\n'
    expect(await edited('rollcall.config.yaml', text, [preset])).toBe(`${text}    preset: docs\n`)
  })

  it('takes an entry out and leaves the others', async () => {
    const text = '{ "providers": { "a": { "url": "https://a.test" }, "b": { "url": "https://b.test" } } }'
    const after = await edited('rollcall.config.json', text, [{ path: ['providers', 'a'], value: undefined }])
    expect(JSON.parse(after)).toEqual({ providers: { b: { url: 'https://b.test' } } })
  })

  it('creates one where there is none', async () => {
    const file = join(folder, 'rollcall.config.json')
    expect(await editConfig(undefined, folder, [preset])).toEqual({ kind: 'created', file })
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ providers: { docs: { preset: 'docs' } } })
  })

  it('never edits code, and gives what a person adds', async () => {
    const file = join(folder, 'rollcall.config.ts')
    await writeFile(file, 'export default {}\n')
    const result = await editConfig(file, folder, [preset])
    expect(result).toEqual({ kind: 'code', file, snippet: expect.stringContaining('"preset": "docs"') })
    expect(await readFile(file, 'utf8')).toBe('export default {}\n')
  })

  it('keeps how the lists of a YAML file are written', async () => {
    for (const list of ['[./a, ./b]', '[ ./a, ./b ]']) {
      const text = `plugins: ${list}\nproviders:\n  docs:\n    url: https://docs.test/mcp\n`
      expect(await edited('rollcall.config.yaml', text, [preset])).toBe(`${text}    preset: docs\n`)
    }
  })

  it('says by its code that a file can not be written, and leaves nothing beside it', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    await expect(editConfig(undefined, file, [preset])).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    const taken = join(folder, 'taken')
    await mkdir(join(taken, 'rollcall.config.json', 'full'), { recursive: true })
    await expect(editConfig(undefined, taken, [preset])).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    expect(await readdir(taken)).toEqual(['rollcall.config.json'])
  })

  it('writes nothing into a file that does not parse', async () => {
    const file = join(folder, 'rollcall.config.json')
    await writeFile(file, '{ "providers": ')
    await expect(editConfig(file, folder, [preset])).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    expect(await readFile(file, 'utf8')).toBe('{ "providers": ')
  })

  it('writes through a link and keeps the permissions', async () => {
    const real = join(folder, 'real.json')
    const link = join(folder, 'rollcall.config.json')
    await writeFile(real, '{}\n', { mode: 0o600 })
    await symlink(real, link)
    await editConfig(link, folder, [preset])
    expect(await readFile(real, 'utf8')).toContain('docs')
    expect((await stat(real)).mode & 0o777).toBe(0o600)
  })
})
