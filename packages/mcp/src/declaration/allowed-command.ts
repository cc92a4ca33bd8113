import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path'

/**
 * Tells whether a command line begins with one of the operator's. Commands are compared by the file that would run,
 * `node` being the running one; arguments by their text, or by the file they name.
 */
export function isAllowedCommand(
  argv: readonly string[],
  allowed: readonly (readonly string[])[],
  options: { readonly cwd: string; readonly path: string },
): boolean {
  return allowed.some(
    (prefix) =>
      prefix.length > 0 &&
      prefix.length <= argv.length &&
      prefix.every((part, index) => isSame(part, argv[index] ?? '', index === 0, options)),
  )
}

function isSame(
  allowed: string,
  given: string,
  isCommand: boolean,
  options: { readonly cwd: string; readonly path: string },
): boolean {
  if (!isCommand) return allowed === given || isSameFile(realFile(allowed, options.cwd), realFile(given, options.cwd))
  const wanted = realCommand(allowed, options)
  // A command that can't be found on either side is no match: what isn't there can't be compared.
  return isSameFile(wanted, realCommand(given, options))
}

function isSameFile(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && one === other
}

function realCommand(
  command: string,
  { cwd, path }: { readonly cwd: string; readonly path: string },
): string | undefined {
  if (command === 'node') return realFile(process.execPath, cwd)
  if (command.includes('/') || command.includes(sep)) return realFile(command, cwd)
  const places = path.split(delimiter).filter((folder) => folder !== '')
  return places
    .map((folder) => join(folder, command))
    .flatMap((file) => (isExecutable(file) ? [realFile(file, cwd)] : []))[0]
}

function realFile(path: string, cwd: string): string | undefined {
  try {
    return realpathSync(isAbsolute(path) ? path : resolve(cwd, path))
  } catch {
    return undefined
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
