import type { Principal } from '@rollcall/plugin'

/** The owner of this process: the library's and the command's caller. */
export const localUser: Principal = Object.freeze({
  kind: 'user',
  id: 'local-user',
  person: 'local-user',
  admin: true,
  scopes: Object.freeze(['tools:call', 'runs:start', 'runs:read', 'runs:cancel', 'runs:approve'] as const),
})

/** A client on this machine without a key: on behalf of the local user, without the right to decide. */
export const localClient: Principal = Object.freeze({
  kind: 'service',
  id: 'local-client',
  person: 'local-user',
  admin: false,
  scopes: Object.freeze(['tools:call'] as const),
})
