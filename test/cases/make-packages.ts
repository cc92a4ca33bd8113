import { execFile } from 'node:child_process'
import { glob, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { makeProject, type Project } from '../../packages/cli/test/project.ts'
import { root } from '../list-files.ts'

const contract = join(root, 'test/fixtures/neutral-contract.mjs')
/** Where the packages lie inside the project: it has a configuration and installed packages of its own. */
const home = 'packages'

/** A project with the packages of a case installed, rewritten to our contract. */
export interface PackageProject extends Project {
  /** Runs the command with the project's configuration. */
  rollcall(...words: readonly string[]): ReturnType<Project['run']>
}

/** Lets a case write its packages, and gives them to a project with this configuration. */
export async function makePackages(caseFolder: string, config: object): Promise<PackageProject> {
  const file = join(home, 'rollcall.config.json')
  const project = await makeProject({ [file]: config })
  const folder = join(project.folder, home)
  await promisify(execFile)(process.execPath, [join(caseFolder, 'make.mjs'), folder])
  for await (const path of glob('node_modules/**/package.json', { cwd: folder })) await rewrite(join(folder, path))
  return { ...project, rollcall: (...words) => project.run('--config', file, ...words) }
}

async function rewrite(manifest: string): Promise<void> {
  const folder = dirname(manifest)
  const text = (await readFile(manifest, 'utf8')).replace('"tool-plugin"', '"rollcall-plugin"')
  const isPlugin = text.includes('rollcall-plugin')
  let appId: string | undefined
  for await (const name of glob('*.{js,mjs,cjs}', { cwd: folder })) {
    const code = await readFile(join(folder, name), 'utf8')
    appId ??= /appId: '([^']+)'/.exec(code)?.[1]
    if (isPlugin) await writeFile(join(folder, name), adapted(code))
  }
  await writeFile(manifest, isPlugin ? withManifest(text, appId) : text)
}

function adapted(code: string): string {
  if (code.includes('module.exports =')) {
    const exported = `module.exports = require(${JSON.stringify(contract)}).adapt(setup)`
    return `${code.replace('module.exports =', 'const setup =')}${exported}\n`
  }
  const named = code
    .replace('export default function setup', 'function setup')
    .replace('export default', 'const setup =')
  if (named === code) return code
  const url = JSON.stringify(pathToFileURL(contract).href)
  return `import { adapt } from ${url}\n${named}export default adapt(setup)\n`
}

/** A broken one stays broken. */
function withManifest(text: string, appId: string | undefined): string {
  try {
    const manifest = JSON.parse(text)
    return JSON.stringify({ ...manifest, rollcall: { appId: appId ?? manifest.name } }, null, 2)
  } catch {
    return text
  }
}
