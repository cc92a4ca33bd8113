import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { root } from './list-files.ts'

interface LintReport {
  readonly diagnostics: readonly { readonly category: string; readonly location: { readonly path: string } }[]
}

/** Files in these folders, and of this text, that use one of these globals; a name that a file binds itself is its own. */
export async function findGlobals(names: readonly string[], where: readonly string[], text = ''): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-globals-'))
  const deniedGlobals = Object.fromEntries(names.map((name) => [name, 'It is not to be used.']))
  const noRestrictedGlobals = { level: 'error', options: { deniedGlobals } }
  const rules = { preset: 'none', style: { noRestrictedGlobals } }
  try {
    await writeFile(join(folder, 'biome.json'), JSON.stringify({ root: true, linter: { rules } }))
    await writeFile(join(folder, 'text.ts'), text)
    const paths = [...where.map((path) => join(root, path)), join(folder, 'text.ts')]
    const options = ['--config-path', folder, '--reporter=json', '--max-diagnostics=none']
    const run = await execa('biome', ['lint', ...options, ...paths], { preferLocal: true, cwd: root, reject: false })
    const { diagnostics }: LintReport = JSON.parse(run.stdout)
    return diagnostics.map(({ location }) => location.path.replace(root, '').replace(`${folder}/`, ''))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
