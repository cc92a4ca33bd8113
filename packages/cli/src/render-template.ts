import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** One file of a rendered template; its path has forward slashes and starts at the template's folder. */
export interface RenderedFile {
  readonly path: string
  readonly text: string
}

/** The files of a new plugin. `plugin` and `host` say where it gets these packages of Rollcall's from. */
export async function renderTemplate(values: {
  readonly name: string
  readonly plugin: string
  readonly host: string
}): Promise<readonly RenderedFile[]> {
  const root = fileURLToPath(new URL('../templates/plugin', import.meta.url))
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(
    files.toSorted().map(async (file) => ({
      path: relative(root, file).split(sep).join('/'),
      text: (await readFile(file, 'utf8'))
        .replaceAll('{{name}}', values.name)
        .replaceAll('{{plugin}}', values.plugin)
        .replaceAll('{{host}}', values.host),
    })),
  )
}
