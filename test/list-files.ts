import { glob } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The root of this repository. */
export const root: string = fileURLToPath(new URL('..', import.meta.url))

/** Absolute paths of the project's own TypeScript files, in order. */
export async function listFiles(matching: RegExp): Promise<readonly string[]> {
  const files: string[] = []
  for await (const file of glob('{packages,plugins,examples,test}/**/*.ts', {
    cwd: root,
    exclude: (name) => /(^|\/)(node_modules|dist)$/.test(String(name)),
  })) {
    if (matching.test(file) && !/(^|\/)(node_modules|dist)\//.test(file)) files.push(`${root}${file}`)
  }
  return files.sort()
}
