import { relative } from 'node:path'
import type { CommandContext } from './command-context.ts'
import { type ConfigEdit, type EditResult, editConfig } from './edit-config/edit-config.ts'
import { type ExitCode, exitCode } from './exit-code.ts'
import { readConfig, requireTrust, trustFile } from './read-config.ts'

/**
 * Changes a trusted configuration in place; it stays trusted.
 *
 * @throws {RollcallError} `CONFIG_UNTRUSTED` where somebody else has changed it since it was trusted; `CONFIG_INVALID`
 * where it can not be read or written.
 */
export async function changeConfig(context: CommandContext, edits: readonly ConfigEdit[]): Promise<EditResult> {
  // Read again: a person may have thought for minutes, and only what is trusted at this moment is trusted afterwards.
  const loaded = await readConfig(context)
  requireTrust(loaded)
  // The plugin in whose folder we are is all there is: a configuration beside it has to name it.
  const own: readonly ConfigEdit[] = loaded.manifestOnly ? [{ path: ['plugins'], value: ['.'] }] : []
  const file = loaded.manifestOnly ? undefined : loaded.file
  const result = await editConfig(file, loaded.folder, [...own, ...edits])
  if (result.kind !== 'code' && !(await readConfig(context)).trusted) await trustFile(context, result.file)
  return result
}

/** Says what was written, or what a person must write into code. @returns the exit code. */
export function showChange(
  result: EditResult,
  { screen, cwd }: CommandContext,
  data: object,
  others: readonly string[] = [],
): ExitCode {
  const file = relative(cwd, result.file) || result.file
  if (result.kind === 'code') {
    screen.data({ ...data, written: [], snippet: result.snippet, file })
    screen.print(`${file} is code and is never edited. Add to it:`, '', result.snippet)
    return exitCode.due
  }
  const written = [file, ...others.map((other) => relative(cwd, other) || other)]
  screen.data({ ...data, written })
  screen.print(`  ${result.kind}: ${written.join(', ')}`)
  return exitCode.fine
}
