import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A folder with these files, removed at the end of its scope. */
export interface TempFolder extends AsyncDisposable {
  readonly path: string
  write(file: string, content: string | Uint8Array): Promise<string>
}

export async function tempFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<TempFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'rollcall-config-')))
  const folder: TempFolder = {
    path,
    async write(name, content) {
      const file = join(path, name)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content)
      return file
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
  for (const [name, content] of Object.entries(files)) await folder.write(name, content)
  return folder
}
