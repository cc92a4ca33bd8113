import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { execa } from 'execa'
import { root } from '../list-files.ts'

/** A folder in which the packed packages are installed, as a user would have them. */
export interface BuiltProject extends AsyncDisposable {
  readonly folder: string
  /** The address of a package's built file: `@rollcall/host`, `index`. */
  url(name: string, file?: string): string
}

/** Builds and packs all packages and installs the packs into a fresh folder. */
export async function createBuiltProject(): Promise<BuiltProject> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-built-'))
  const local = { preferLocal: true, localDir: root } as const
  await execa('pnpm', ['run', 'build'], { cwd: root, ...local })
  for (const name of ['plugin', 'host', 'mcp', 'cli']) {
    await execa('pnpm', ['pack', '--pack-destination', folder], { cwd: join(root, 'packages', name), ...local })
  }
  const packs = (await readdir(folder)).filter((file) => file.endsWith('.tgz'))
  const dependencies = Object.fromEntries(
    packs.map((file) => [file.replace(/^rollcall-(?=[a-z])/, '@rollcall/').replace(/-\d.*$/, ''), `file:./${file}`]),
  )
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  await execa('npm', ['install', '--no-audit', '--no-fund', '--omit=dev'], { cwd: folder })
  return {
    folder,
    url: (name, file = 'index') => pathToFileURL(join(folder, 'node_modules', name, 'dist', `${file}.mjs`)).href,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
