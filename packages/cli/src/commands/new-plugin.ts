import { access, mkdir, readdir, realpath, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { RollcallError } from '@rollcall/plugin'
import { checkAppId } from '../check-app-id.ts'
import type { CommandContext } from '../command-context.ts'
import { commandNameIn, repository } from '../command-name.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { readConfig, trustFile } from '../read-config.ts'
import { renderTemplate } from '../render-template.ts'
import { version } from '../version.ts'

/** `rollcall new plugin`: a small plugin that works as it stands; adds it to nothing. */
export async function newPlugin(
  context: CommandContext,
  name: string,
  options: { readonly dir?: string },
): Promise<ExitCode> {
  checkAppId(name)
  const folder = resolve(context.cwd, options.dir ?? name)
  await refuseFull(folder)
  const files = await renderTemplate({ name, ...dependenciesOf(folder) })
  for (const { path, text } of files) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text, { flag: 'wx' })
  }
  const steps = await nextSteps(context, name, folder)
  const { screen, cwd } = context
  screen.data({ folder, files: files.map(({ path }) => path), next: steps })
  screen.print(
    `  created: ${relative(cwd, folder) || '.'} (${files.map(({ path }) => path).join(', ')})`,
    '',
    ...steps.map((step) => `  ${step}`),
  )
  return exitCode.fine
}

async function refuseFull(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? [] : ['?']))
  if (found.length === 0) return
  throw new RollcallError('FILE_EXISTS', `${folder} is there already and is not empty.`, {
    hint: 'Name another folder: rollcall new plugin <name> --dir <path>',
  })
}

/** The repository's folders whose own folders are packages of its workspace. */
const workspaceFolders: readonly string[] = ['plugins', 'examples', 'packages']

/** How a plugin in this folder depends on Rollcall's packages: from source none of them need be published. */
function dependenciesOf(folder: string): { readonly plugin: string; readonly host: string } {
  if (repository === undefined) return { plugin: version, host: version }
  const around = dirname(folder)
  if (dirname(around) === repository && workspaceFolders.includes(basename(around))) {
    return { plugin: 'workspace:*', host: 'workspace:*' }
  }
  const packages = `file:${join(repository, 'packages').split(sep).join('/')}`
  return { plugin: `${packages}/plugin`, host: `${packages}/host` }
}

async function nextSteps(context: CommandContext, name: string, folder: string): Promise<readonly string[]> {
  const call = `${commandNameIn(folder)} call ${name}__hello name=you`
  const place = relative(context.cwd, folder) || '.'
  const install = (await canResolve(folder)) ? [] : ['npm install']
  const steps = [`cd ${place}`, ...install, call]
  const own = await readConfig({ cwd: folder, env: context.env, configFile: undefined }).catch(() => undefined)
  // We have just written it for the person who runs us.
  if (own?.file !== undefined && own.manifestOnly) await trustFile(context, own.file)
  const around = await readConfig({ cwd: context.cwd, env: context.env, configFile: undefined }).catch(() => undefined)
  if (around?.file === undefined || around.manifestOnly) return steps
  const specifier = `./${relative(around.folder, await realpath(folder))
    .split(sep)
    .join('/')}`
  return [...steps, '', `To offer it here: add "${specifier}" to "plugins" in ${around.file.split(sep).at(-1)}.`]
}

/** Whether the plugin finds what it imports from where it lies. */
async function canResolve(folder: string): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await access(join(at, 'node_modules', '@rollcall', 'plugin')).then(
      () => true,
      () => false,
    )
    if (found || at === dirname(at)) return found
  }
}
