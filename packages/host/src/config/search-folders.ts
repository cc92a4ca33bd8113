import { lstat, realpath } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'

/** The folders in which a configuration is looked for, nearest first: up to the repository root, or home. */
export async function searchFolders(from: string, home: string): Promise<readonly string[]> {
  const folders: string[] = []
  for (let folder = from; ; folder = dirname(folder)) {
    folders.push(folder)
    if (folder === home || folder === dirname(folder) || (await exists(join(folder, '.git')))) return folders
  }
}

/**
 * Tells whether a project has the running program installed, so that its code runs there anyway.
 *
 * The program has to lie inside the project itself: a link to a global installation can be committed by anybody.
 *
 * @param installedAt real path of the package that runs.
 */
export async function hasInstalled(folder: string, installedAt: string, home: string): Promise<boolean> {
  const folders = await searchFolders(folder, home)
  const top = folders.at(-1) ?? folder
  const root = top !== home && (await exists(join(top, '.git'))) ? top : undefined
  for (const ancestor of folders) {
    const linked = await realpath(join(ancestor, 'node_modules', 'rollcall')).catch(() => undefined)
    if (linked === installedAt && isInside(installedAt, root ?? ancestor)) return true
  }
  return false
}

/** Tells whether something is there, be it a link that leads nowhere. */
export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`)
}
