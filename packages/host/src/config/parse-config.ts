import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { redactSecrets } from '@rollcall/plugin'
import { configInvalid } from './config-invalid.ts'
import type { Fault } from './fault.ts'

/** A value that was read from a text, or the first thing that kept it from being read. */
export type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly fault: Fault }

const codeExtensions: readonly string[] = ['.ts', '.mts', '.js', '.mjs']
const textExtensions: readonly string[] = ['.json', '.yaml', '.yml']

/** Tells whether a file may be a configuration, by its name. */
export function isConfigName(file: string): boolean {
  return isCodeConfig(file) || textExtensions.includes(extname(file))
}

/** Tells whether reading a configuration means executing it. */
export function isCodeConfig(file: string): boolean {
  return codeExtensions.includes(extname(file))
}

/**
 * Reads the text of a JSON (comments and trailing commas are fine) or YAML configuration.
 *
 * @throws {RollcallError} `CONFIG_INVALID` with the line where it is broken. The text itself is never shown.
 */
export async function parseConfig(bytes: Uint8Array, about: { readonly file: string }): Promise<unknown> {
  const text = decode(bytes)
  if (text === undefined) {
    throw configInvalid([{ path: '', message: 'is no text: save it as UTF-8' }], about.file)
  }
  const parse =
    extname(about.file) === '.json'
      ? (await import('./parse-json.ts')).parseJson
      : (await import('./parse-yaml.ts')).parseYaml
  const parsed = parse(text)
  if (!parsed.ok) throw configInvalid([parsed.fault], about.file)
  return parsed.value
}

/**
 * Executes a configuration that is code and gives its default export. Only for one that is trusted.
 *
 * @throws {RollcallError} `CONFIG_INVALID` when it can't be loaded or exports nothing by default.
 */
export async function importConfig(realPath: string, about: { readonly file: string }): Promise<unknown> {
  let module: object
  try {
    module = await import(pathToFileURL(realPath).href)
  } catch (cause) {
    const [reason = ''] = redactSecrets(String(cause)).split('\n')
    throw configInvalid([{ path: '', message: `can not be loaded: ${reason}` }], about.file, { cause })
  }
  if ('default' in module) return module.default
  throw configInvalid([{ path: '', message: 'has no default export: write `export default { … }`' }], about.file)
}

// Editors and shells on Windows write UTF-16 with a mark at the beginning; the decoder takes the mark away.
function decode(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes
  const isLittle = first === 0xff && second === 0xfe
  const isBig = first === 0xfe && second === 0xff
  try {
    return new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
