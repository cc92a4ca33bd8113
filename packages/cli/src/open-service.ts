import { createKeyAuthenticate, createKeyBook, isGood, localClient } from '@rollcall/host'
import type { LoadedConfig } from '@rollcall/host/config'
import { createKeylessAuthenticate } from '@rollcall/mcp'
import { isRollcallError } from '@rollcall/plugin'
import { createCleanupStack } from './cleanup-stack.ts'
import type { CommandContext } from './command-context.ts'
import { defaultHttp } from './effective-config.ts'
import { keylessFault } from './keyless-fault.ts'
import { listen } from './listen.ts'
import { hostDigest } from './local-host/hello.ts'
import { type LocalListener, listenLocal } from './local-host/listen-local.ts'
import { socketPathOf } from './local-host/socket-path.ts'
import { openSession, type Session } from './open-session.ts'
import { openStore } from './open-store.ts'
import { readConfig, requireTrust } from './read-config.ts'
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
  const unreachable = keylessFault(http?.host ?? defaultHttp.host, http)
  if (unreachable !== undefined && !(await hasKey(loaded, context))) throw unreachable
  await using stack = createCleanupStack()
  const listener = stack.use(await listen({ ...defaultHttp, ...http }))
  options.onConfig?.(loaded)
  const session = stack.use(await openSession(context, { pinning: 'background' }))
  const keys = createKeyBook({ settings: session.store.settings })
  const profiles = ['default', ...servedProfiles(session, http?.keyless ?? [])]
  const keyless = createKeylessAuthenticate({
    boundTo: listener.host,
    profiles: http?.keyless ?? [],
    principal: localClient,
    ...(http?.publicUrl !== undefined && { publicUrl: http.publicUrl }),
  })
  const gate = stack.use(toAsync(createKeyAuthenticate({ keys, otherwise: keyless })))
  const { authenticate } = gate
  const { bare } = options
  if (bare !== undefined) requireProvider(session.host, bare)
  const allowedHosts = [listener.host, ...(http?.publicUrl === undefined ? [] : [new URL(http.publicUrl).host])]
  const face = session.mcp.serve(session.host, {
    profiles: servedToKeys(session),
    authenticate,
    allowedHosts,
    ...(bare !== undefined && { bare }),
  })
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

/** Whether there is a key by which somebody from elsewhere could be let in. */
async function hasKey(loaded: LoadedConfig, { env }: CommandContext): Promise<boolean> {
  await using store = await openStore(loaded, env)
  const now = Date.now()
  return (await createKeyBook({ settings: store.settings }).list()).some((key) => isGood(key, now))
}

function toAsync<T extends Disposable>(one: T): T & AsyncDisposable {
  return Object.assign(one, { [Symbol.asyncDispose]: async () => one[Symbol.dispose]() })
}

/** Whoever has a key for it reaches a profile that is served. */
function servedToKeys({ host }: Session): readonly string[] {
  return [...host.profiles.values()]
    .filter(({ name, serve }) => serve === true && name !== 'default')
    .map(({ name }) => name)
}

/** Without keys a profile is reached only if it may be reached without one. */
function servedProfiles({ host }: Session, keyless: readonly string[]): readonly string[] {
  return [...host.profiles.values()]
    .filter(({ name, serve }) => serve === true && name !== 'default' && keyless.includes(name))
    .map(({ name }) => name)
}
