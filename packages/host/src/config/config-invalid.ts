import { RollcallError } from '@rollcall/plugin'
import type { Fault } from './fault.ts'

/** One error for all faults of a configuration: a line each in the message, and as data. */
export function configInvalid(
  faults: readonly Fault[],
  about: string,
  options: { readonly cause?: unknown } = {},
): RollcallError {
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`
  const lines = faults.map(({ path, message }) => `\n  ${path === '' ? message : `${path}  ${message}`}`)
  return new RollcallError('CONFIG_INVALID', `${count} in ${about}${lines.join('')}`, {
    hint: faults.length === 1 ? 'Correct it; nothing was started.' : 'Correct each of them; nothing was started.',
    data: { file: about, faults: faults.map(({ path, message }) => ({ path, message })) },
    cause: options.cause,
  })
}
