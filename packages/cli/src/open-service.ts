import { localClient } from '@rollcall/host'
import type { LoadedConfig } from '@rollcall/host/config'
import { createKeylessAuthenticate } from '@rollcall/mcp'
import { isRollcallError } from '@rollcall/plugin'
import { createCleanupStack } from './cleanup-stack.ts'
import type { CommandContext } from './command-context.ts'
import { defaultHttp } from './effective-config.ts'
import { listen } from './listen.ts'
import { hostDigest } from './local-host/hello.ts'
import { type LocalListener, listenLocal } from './local-host/listen-local.ts'
import { socketPathOf } from './local-host/socket-path.ts'
import { openSession, type Session } from './open-session.ts'
import { readConfig, requireTrust } from './read-config.ts'
import { requireKeyless } from './require-keyless.ts'
import { requireProvider } from './require-provider.ts'

/** A session that answers MCP clients over the one listener. */
export interface Service extends AsyncDisposable {
  readonly session: Session
  readonly addresses: readonly { readonly profile: string; readonly url: string }[]
}

/**
 * Binds the port, then opens the session behind it and serves it.
 *
 * @throws {RollcallError} `SERVE_REFUSED` or `PORT_IN_USE` before anything else has started, `PROVIDER_UNKNOWN`, and what
 * `openSession` throws.
 */
export async function openService(
  context: CommandContext,
  options: { readonly onConfig?: (loaded: LoadedConfig) => void; readonly bare?: string } = {},
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
  const { bare } = options
  if (bare !== undefined) requireProvider(session.host, bare)
  const face = session.mcp.serve(session.host, { profiles, authenticate, ...(bare !== undefined && { bare }) })
  listener.attach(stack.use(face))
  const door = await openDoor(session, loaded, context)
  if (door !== undefined) stack.use(door)
  const shown = listener.host.includes(':') ? `[${listener.host}]` : listener.host
  const base = `http://${shown}:${listener.port}/mcp`
  const owned = stack.move()
  return {
    session,
    addresses: profiles.map((profile) => ({ profile, url: profile === 'default' ? base : `${base}/${profile}` })),
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  }
}

/** Clients over standard input and output come to this host too, unless another one serves them already. */
async function openDoor(
  session: Session,
  loaded: LoadedConfig,
  { logger }: CommandContext,
): Promise<LocalListener | undefined> {
  const path = socketPathOf(loaded)
  if (path === undefined) return undefined
  try {
    return await listenLocal({ path, digest: hostDigest(loaded), session, logger })
  } catch (error) {
    if (!isRollcallError(error, 'PORT_IN_USE')) throw error
    logger.info('another host serves the clients over standard input and output', {})
    return undefined
  }
}

/** Without keys a profile is reached only if it may be reached without one. */
function servedProfiles({ host }: Session, keyless: readonly string[]): readonly string[] {
  return [...host.profiles.values()]
    .filter(({ name, serve }) => serve === true && name !== 'default' && keyless.includes(name))
    .map(({ name }) => name)
}
