import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isRollcallError, RollcallError } from '@rollcall/plugin'

const maxBytes = 256 * 1024

/**
 * Reads the package.json of a folder as data; `undefined` when there is none.
 *
 * @throws {RollcallError} `PLUGIN_INVALID` for one that is no file, over 256 KB, no JSON object or has a `__proto__` key.
 */
export async function readPackageJson(folder: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const path = join(folder, 'package.json')
  let text: string
  try {
    const { size } = await stat(path).then((found) => (found.isFile() ? found : refuse(path, 'is no file')))
    if (size > maxBytes) refuse(path, `has ${size.toLocaleString('en')} bytes`)
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    if (isRollcallError(error)) throw error
    return refuse(path, 'can not be read', error)
  }
  return parse(text, path)
}

function parse(text: string, path: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    // npm accepts a byte order mark.
    value = JSON.parse(text.replace(/^\uFEFF/, ''), refuseProto)
  } catch (error) {
    return refuse(path, error === protoKey ? 'has a "__proto__" key' : 'is no valid JSON', error)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(path, 'is no JSON object')
  return value as Readonly<Record<string, unknown>>
}

const protoKey = new SyntaxError('A "__proto__" key is refused.')

function refuseProto(key: string, value: unknown): unknown {
  if (key === '__proto__') throw protoKey
  return value
}

function refuse(path: string, what: string, cause?: unknown): never {
  throw new RollcallError('PLUGIN_INVALID', `${path} ${what}.`, {
    hint: 'package.json must be a JSON object of at most 256 KB.',
    cause,
  })
}
