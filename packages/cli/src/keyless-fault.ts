import { isIP } from 'node:net'
import type { Config } from '@rollcall/host/config'
import { RollcallError } from '@rollcall/plugin'

/** Why nobody could be let in at an address while there is no key: without one only this machine may call. */
export function keylessFault(host: string, http: Config['http']): RollcallError | undefined {
  if (http?.publicUrl !== undefined) return refused(`It has a public address, ${http.publicUrl}`, 'http.publicUrl')
  return isLoopback(host) ? undefined : refused(`${host} is not an address of this machine alone`, 'http.host')
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
      hint: `Make a key (rollcall keys add --person <name> --profile default), or remove "${key}" from the configuration.`,
    },
  )
}
