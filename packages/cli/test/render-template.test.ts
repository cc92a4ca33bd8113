import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderTemplate } from '../src/render-template.ts'

const example = join(import.meta.dirname, '../../../examples/01-one-plugin')

describe('the template of a new plugin', () => {
  it('is the first example, file by file', async () => {
    const entries = await readdir(example, { recursive: true, withFileTypes: true })
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !isLeftover(relative(example, file)))
    const expected = await Promise.all(
      files.map(async (file) => ({ path: relative(example, file), text: await readFile(file, 'utf8') })),
    )
    const rendered = await renderTemplate({ name: 'weather', plugin: 'workspace:*', host: 'workspace:*' })
    expect(rendered.toSorted(byPath)).toEqual(expected.toSorted(byPath))
  })

  it('leaves no placeholder behind', async () => {
    for (const { text } of await renderTemplate({ name: 'x', plugin: '1.0.0', host: '1.0.0' }))
      expect(text).not.toMatch(/\{\{|\}\}/)
  })
})

// What running the example leaves in it, which git ignores.
function isLeftover(path: string): boolean {
  return path.split(sep).some((part) => part === 'node_modules' || part === '.rollcall')
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : 1
}
