import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path'

/** From where names and paths are looked up. */
export interface CommandPlaces {
  /** The configuration's folder: paths that the operator wrote start here. */
  readonly folder: string
  /** Where the command would run: paths that were announced start here. */
  readonly cwd: string
  readonly path: string
}

/**
 * Tells whether a command line begins with one of the operator's. Commands are compared by the file that would run,
 * `node` being the running one; arguments by the file they name, or by their text where they name none.
 */
export function isAllowedCommand(
  argv: readonly string[],
  allowed: readonly (readonly string[])[],
  places: CommandPlaces,
): boolean {
  return allowed.some(
    (prefix) =>
      prefix.length > 0 &&
      prefix.length <= argv.length &&
      prefix.every((part, index) => (index === 0 ? isSameCommand : isSameArgument)(part, argv[index] ?? '', places)),
  )
}

function isSameCommand(allowed: string, given: string, { folder, cwd, path }: CommandPlaces): boolean {
  const wanted = realCommand(allowed, folder, path)
  // A command that can't be found on either side is no match: what isn't there can't be compared.
  return wanted !== undefined && wanted === realCommand(given, cwd, path)
}

/** The same words name another file in another folder. */
function isSameArgument(allowed: string, given: string, { folder, cwd }: CommandPlaces): boolean {
  const wanted = realFile(allowed, folder)
  const found = realFile(given, cwd)
  return wanted === undefined && found === undefined ? allowed === given : wanted === found
}

function realCommand(command: string, base: string, path: string): string | undefined {
  if (command === 'node') return realFile(process.execPath, base)
  if (command.includes('/') || command.includes(sep)) return realFile(command, base)
  const places = path.split(delimiter).filter((folder) => folder !== '')
  return places
    .map((folder) => join(folder, command))
    .flatMap((file) => (isExecutable(file) ? [realFile(file, base)] : []))[0]
}

function realFile(path: string, base: string): string | undefined {
  try {
    return realpathSync(isAbsolute(path) ? path : resolve(base, path))
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
