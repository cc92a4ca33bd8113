import { isIP } from 'node:net'
import type { Config } from '@rollcall/host/config'
import { RollcallError } from '@rollcall/plugin'

/**
 * Refuses an address at which nobody could be let in: without keys only this machine may call.
 *
 * @throws {RollcallError} `SERVE_REFUSED` for a host that is not loopback, or a public address.
 */
export function requireKeyless(host: string, http: Config['http']): void {
  if (http?.publicUrl !== undefined) throw refused(`It has a public address, ${http.publicUrl}`, 'http.publicUrl')
  if (!isLoopback(host)) throw refused(`${host} is not an address of this machine alone`, 'http.host')
}

function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'))
}

function refused(what: string, key: string): RollcallError {
  return new RollcallError(
    'SERVE_REFUSED',
    `${what}, and without keys only this machine may call; nobody could be let in.`,
    {
      hint: `Remove "${key}" from the configuration: the default is 127.0.0.1.`,
    },
  )
}
