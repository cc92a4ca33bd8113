import { lstat, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { type Json, RollcallError } from '@rollcall/plugin'
import { editJson } from './edit-json.ts'
import { editYaml } from './edit-yaml.ts'

/** One change: the value at a path; `undefined` removes it. */
export interface ConfigEdit {
  readonly path: readonly [string, ...string[]]
  readonly value: Json | undefined
}

export type EditResult =
  | { readonly kind: 'written' | 'created'; readonly file: string }
  /** Code is never edited: a person adds the snippet. */
  | { readonly kind: 'code'; readonly file: string; readonly snippet: string }

/**
 * Changes the configuration file in place and keeps comments, order and formatting; without a file one is created
 * in `folder`.
 *
 * @throws {RollcallError} `CONFIG_INVALID` for a file that can't be read as what its name says, or can't be written.
 */
export async function editConfig(
  file: string | undefined,
  folder: string,
  edits: readonly ConfigEdit[],
): Promise<EditResult> {
  if (file === undefined) {
    const created = join(folder, 'rollcall.config.json')
    await writeWhole(created, editJson('{}\n', edits))
    return { kind: 'created', file: created }
  }
  const editText = { '.json': editJson, '.yaml': editYaml, '.yml': editYaml }[extname(file)]
  if (editText === undefined) return { kind: 'code', file, snippet: asSnippet(edits) }
  const target = await realpath(file)
  const before = await readFile(target, 'utf8')
  let after: string
  try {
    after = editText(before, edits)
  } catch (cause) {
    throw new RollcallError('CONFIG_INVALID', `${file} can't be changed: it does not parse.`, {
      hint: 'Correct its syntax first; nothing was written.',
      cause,
    })
  }
  if (after !== before) await writeWhole(target, after)
  return { kind: 'written', file }
}

/** Written beside and renamed over: a reader never sees half a file. */
async function writeWhole(file: string, text: string): Promise<void> {
  const mode = await lstat(file).then(
    () => stat(file).then((found) => found.mode & 0o777),
    () => 0o644,
  )
  const beside = `${file}.${process.pid}.new`
  try {
    await writeFile(beside, text, { mode })
    await rename(beside, file)
  } catch (cause) {
    await rm(beside, { force: true }).catch(() => {})
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new RollcallError('CONFIG_INVALID', `${file} can't be written (${code}).`, {
      hint: 'Check the permissions of its folder; nothing was changed.',
      cause,
    })
  }
}

function asSnippet(edits: readonly ConfigEdit[]): string {
  const root: Record<string, unknown> = {}
  for (const { path, value } of edits) {
    if (value === undefined) continue
    let at = root
    for (const key of path.slice(0, -1)) {
      const next = (at[key] ?? {}) as Record<string, unknown>
      at[key] = next
      at = next
    }
    at[path.at(-1) ?? ''] = value
  }
  const removed = edits.filter(({ value }) => value === undefined).map(({ path }) => `remove ${path.join('.')}`)
  return [...(Object.keys(root).length > 0 ? [JSON.stringify(root, null, 2)] : []), ...removed].join('\n')
}
