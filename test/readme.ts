import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './list-files.ts'

/** The README with the blocks that are files of this repository. `node test/readme.ts` writes them. */
export async function renderReadme(readme: string): Promise<string> {
  let text = readme
  for (const [whole, path = ''] of readme.matchAll(/<!-- (examples\/\S+) -->\n```ts\n[\s\S]*?```/g)) {
    const code = (await readFile(join(root, path), 'utf8')).trimEnd()
    text = text.replace(whole, () => `<!-- ${path} -->\n\`\`\`ts\n${code}\n\`\`\``)
  }
  return text
}

if (import.meta.main) {
  const file = join(root, 'README.md')
  await writeFile(file, await renderReadme(await readFile(file, 'utf8')))
}
