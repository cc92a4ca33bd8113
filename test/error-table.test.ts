import { readFile } from 'node:fs/promises'
import { errorTable } from '@rollcall/plugin'
import { expect, it } from 'vitest'
import { renderErrorPage } from './error-page.ts'
import { listFiles, root } from './list-files.ts'

const codes = Object.keys(errorTable)

async function codesIn(matching: RegExp, except: RegExp): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const file of await listFiles(matching)) {
    if (except.test(file)) continue
    const text = await readFile(file, 'utf8')
    for (const [, code = ''] of text.matchAll(/['"`]([A-Z]+(?:_[A-Z]+)*)['"`]/g)) found.add(code)
  }
  return found
}

it('every code is used by the program and provoked by a test', async () => {
  const used = await codesIn(/\/src\/.*\.ts$/, /error-table\.ts$/)
  const provoked = await codesIn(/\.test\.ts$/, /error-table\.test\.ts$/)
  expect({
    unused: codes.filter((code) => !used.has(code)),
    unprovoked: codes.filter((code) => !provoked.has(code)),
  }).toEqual({ unused: [], unprovoked: [] })
})

it('every code says when it occurs and how to fix it, in sentences', () => {
  for (const { when, fix } of Object.values(errorTable)) {
    expect(when).toMatch(/^[A-Z`].*\.$/)
    expect(fix).toMatch(/^[A-Z`].*\.$/)
  }
})

it('docs/errors.md is what the table says', async () => {
  expect(await readFile(`${root}docs/errors.md`, 'utf8')).toBe(renderErrorPage())
})
