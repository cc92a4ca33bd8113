import { RollcallError } from '@rollcall/plugin'

/**
 * Checks a name that a person gives to a server or plugin.
 *
 * @throws {RollcallError} `USAGE` for one that can be no appId.
 */
export function checkAppId(name: string): void {
  if (/^[a-z][a-z0-9-]{0,31}$/.test(name) && name !== 'rollcall') return
  throw new RollcallError('USAGE', `"${name}" can't be an appId.`, {
    hint: 'A lower-case letter first, then up to 31 lower-case letters, digits or hyphens; "rollcall" is taken.',
  })
}
