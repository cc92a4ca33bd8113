import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../list-files.ts'
import { openScratch } from './scratch.ts'

const folder = join(root, 'examples')
const examples = readdirSync(folder).filter((name) => /^\d\d-/.test(name))

it.each(examples)('%s checks itself and ends well', async (name) => {
  await using scratch = await openScratch()
  const cwd = join(folder, name)
  const { scripts } = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8'))
  const script: string | undefined = [scripts.start, scripts.test].find((one) => one?.startsWith('node '))
  const words = script?.split(' ').map((word) => word.replaceAll('"', '')) ?? []
  const { code, stdout, stderr } = await scratch.node(words.slice(1), { cwd })
  expect(code, `${stdout}\n${stderr}`).toBe(0)
})

it('no committed lock file knows the machine that it was written on', async () => {
  const files = examples.flatMap((name) =>
    readdirSync(join(folder, name))
      .filter((file) => file === 'rollcall.lock.json')
      .map((file) => join(folder, name, file)),
  )
  for (const file of [join(root, 'rollcall.lock.json'), ...files]) {
    expect(await readFile(file, 'utf8')).not.toMatch(/"(?:\/|[A-Z]:\\)|file:\/\//)
  }
  expect(files.length).toBeGreaterThan(0)
})
