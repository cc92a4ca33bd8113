import { localClient } from '@rollcall/host'
import type { LoadedConfig } from '@rollcall/host/config'
import { createKeylessAuthenticate } from '@rollcall/mcp'
import { createCleanupStack } from './cleanup-stack.ts'
import type { CommandContext } from './command-context.ts'
import { defaultHttp } from './effective-config.ts'
import { listen } from './listen.ts'
import { openSession, type Session } from './open-session.ts'
import { readConfig, requireTrust } from './read-config.ts'
import { requireKeyless } from './require-keyless.ts'

/** A session that answers MCP clients over the one listener. */
export interface Service extends AsyncDisposable {
  readonly session: Session
  readonly addresses: readonly { readonly profile: string; readonly url: string }[]
}

/**
 * Binds the port, then opens the session behind it and serves it.
 *
 * @throws {RollcallError} `SERVE_REFUSED` or `PORT_IN_USE` before anything else has started, and what `openSession` throws.
 */
export async function openService(
  context: CommandContext,
  options: { readonly onConfig?: (loaded: LoadedConfig) => void } = {},
): Promise<Service> {
  const loaded = await readConfig(context)
  requireTrust(loaded)
  const { http } = loaded.config
  requireKeyless(http?.host ?? defaultHttp.host, http)
  await using stack = createCleanupStack()
  const listener = stack.use(await listen({ ...defaultHttp, ...http }))
  options.onConfig?.(loaded)
  const session = stack.use(await openSession(context, { pinning: 'background' }))
  const profiles = ['default', ...servedProfiles(session, http?.keyless ?? [])]
  const authenticate = createKeylessAuthenticate({
    boundTo: listener.host,
    profiles: http?.keyless ?? [],
    principal: localClient,
    ...(http?.publicUrl !== undefined && { publicUrl: http.publicUrl }),
  })
  listener.attach(stack.use(session.mcp.serve(session.host, { profiles, authenticate })))
  const shown = listener.host.includes(':') ? `[${listener.host}]` : listener.host
  const base = `http://${shown}:${listener.port}/mcp`
  const owned = stack.move()
  return {
    session,
    addresses: profiles.map((profile) => ({ profile, url: profile === 'default' ? base : `${base}/${profile}` })),
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  }
}

/** Without keys a profile is reached only if it may be reached without one. */
function servedProfiles({ host }: Session, keyless: readonly string[]): readonly string[] {
  return [...host.profiles.values()]
    .filter(({ name, serve }) => serve === true && name !== 'default' && keyless.includes(name))
    .map(({ name }) => name)
}
