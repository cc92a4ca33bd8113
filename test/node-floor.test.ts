import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { listFiles, root } from './list-files.ts'

// What is published runs on Node 22.13; the project itself runs on a newer one, so nothing else would notice.
const newer =
  /\b(AsyncDisposableStack|DisposableStack|SuppressedError|Promise\.try|RegExp\.escape|Error\.isError|import\.meta\.main|URLPattern|Iterator\.concat|Math\.sumPrecise)\b/

it('what is published uses nothing that Node 22.13 does not have', async () => {
  const wrong: string[] = []
  for (const file of await listFiles(/^(packages|plugins)\/[^/]+\/src\/.*\.ts$/)) {
    const [word] = newer.exec(await readFile(file, 'utf8')) ?? []
    if (word !== undefined) wrong.push(`${file.slice(root.length)}: ${word}`)
  }
  expect(wrong).toEqual([])
})
