import { resolve } from 'node:path'
import type { McpClaim } from '@rollcall/host'
import { expandVariables, RollcallError, type SecretRef } from '@rollcall/plugin'
import { isAllowedCommand } from './allowed-command.ts'
import { inheritedEnvironment, isLoadingVariable } from './child-environment.ts'
import type { McpSettings } from './mcp-settings.ts'
import type { ResolvedHttp, ResolvedServer, ResolvedStdio } from './resolved-server.ts'

type StdioDeclaration = Extract<McpClaim['server'], { command: string }>
type HttpDeclaration = Extract<McpClaim['server'], { url: string }>
type Given = string | SecretRef

/**
 * Expands the variables of a declaration and reads its secrets, right before a start. An announced server reads only
 * what the operator lists, and starts only what the operator allows.
 *
 * @throws {RollcallError} `VARIABLE_MISSING`, `SECRET_MISSING`, `LAUNCH_REFUSED`.
 */
export async function resolveServer(claim: McpClaim, settings: McpSettings): Promise<ResolvedServer> {
  const { server } = claim
  checkLaunch(claim, settings)
  return 'command' in server ? resolveStdio(claim, server, settings) : resolveHttp(claim, server, settings)
}

/**
 * What can be said about a launch without reading a secret that costs something.
 *
 * @throws {RollcallError} as `resolveServer` does, for everything but stored secrets and secrets of a command.
 */
export async function checkDeclaration(claim: McpClaim, settings: McpSettings): Promise<void> {
  checkLaunch(claim, settings)
  for (const value of givenValues(claim.server)) {
    if (typeof value === 'string') expandVariables(value, lookupFor(claim, settings))
    else if (!('command' in value)) await settings.resolveSecret(value, { announced: isAnnounced(claim) })
  }
}

/** Tells whether somebody else than the operator declared this server. */
export function isAnnounced(claim: McpClaim): boolean {
  return claim.source !== 'configured'
}

/** The values of variables that this claim may read. */
export function lookupFor(claim: McpClaim, settings: McpSettings): (name: string) => string | undefined {
  const { variables, env, secretsAllow } = settings
  return (name) => {
    if (Object.hasOwn(variables, name)) return variables[name]
    if (isAnnounced(claim) && !secretsAllow.has(name)) return undefined
    return Object.hasOwn(env, name) ? env[name] : undefined
  }
}

function checkLaunch(claim: McpClaim, settings: McpSettings): void {
  const { server, appId } = claim
  if (!('command' in server) || !isAnnounced(claim)) return
  const lookup = lookupFor(claim, settings)
  const argv = [server.command, ...(server.args ?? [])].map((part) => expandVariables(part, lookup))
  const cwd = folderOf(server, lookup, settings)
  if (!isAllowedCommand(argv, settings.allowedCommands, { cwd, path: settings.env.PATH ?? '' })) {
    // As written: what a variable holds may be a secret.
    const written = [server.command, ...(server.args ?? [])]
    throw new RollcallError('LAUNCH_REFUSED', `${appId} would start "${written.join(' ')}", which is not allowed.`, {
      hint: `Add the beginning of that command line to "mcp.allowedCommands", for example ${JSON.stringify(written)}.`,
    })
  }
  const loading = Object.keys(server.env ?? {}).find(isLoadingVariable)
  if (loading === undefined) return
  throw new RollcallError('LAUNCH_REFUSED', `${appId} would set ${loading}, which makes a program load other code.`, {
    hint: `Only your own configuration may set it: under "providers.${appId}.server.env".`,
  })
}

async function resolveStdio(claim: McpClaim, server: StdioDeclaration, settings: McpSettings): Promise<ResolvedStdio> {
  const lookup = lookupFor(claim, settings)
  const declared = await readAll(server.env ?? {}, claim, settings)
  return {
    kind: 'stdio',
    name: claim.appId,
    command: expandVariables(server.command, lookup),
    args: (server.args ?? []).map((arg) => expandVariables(arg, lookup)),
    cwd: folderOf(server, lookup, settings),
    env: { ...inheritedEnvironment(settings.env), ...declared.values },
    secrets: declared.secrets,
  }
}

async function resolveHttp(claim: McpClaim, server: HttpDeclaration, settings: McpSettings): Promise<ResolvedHttp> {
  const declared = await readAll(server.headers ?? {}, claim, settings)
  const text = expandVariables(server.url, lookupFor(claim, settings))
  const url = URL.parse(text)
  if (url === null) {
    throw new RollcallError('PROVIDER_INVALID', `The address of ${claim.appId} is no URL.`, {
      hint: `Correct "providers.${claim.appId}.server.url".`,
    })
  }
  const announced = isAnnounced(claim)
  const common = { kind: 'http', name: claim.appId, url, announced } as const
  // Header values are secrets however they were written.
  const secrets = [...declared.secrets, ...Object.values(declared.values)]
  if (server.auth === undefined) return { ...common, headers: declared.values, secrets }
  const token = await settings.resolveSecret(server.auth.bearer, { announced })
  const headers = { ...declared.values, authorization: `Bearer ${token}` }
  return { ...common, headers, secrets: [...secrets, token] }
}

async function readAll(
  given: Readonly<Record<string, Given>>,
  claim: McpClaim,
  settings: McpSettings,
): Promise<{ readonly values: Readonly<Record<string, string>>; readonly secrets: readonly string[] }> {
  const values: Record<string, string> = {}
  const secrets: string[] = []
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'string') {
      values[name] = expandVariables(value, lookupFor(claim, settings))
      // What comes from a variable of the operator may be a secret too.
      if (values[name] !== value) secrets.push(values[name])
    } else {
      values[name] = await settings.resolveSecret(value, { announced: isAnnounced(claim) })
      secrets.push(values[name])
    }
  }
  return { values, secrets }
}

function folderOf(
  server: StdioDeclaration,
  lookup: (name: string) => string | undefined,
  settings: McpSettings,
): string {
  return resolve(settings.folder, server.cwd === undefined ? '.' : expandVariables(server.cwd, lookup))
}

function givenValues(server: McpClaim['server']): readonly Given[] {
  if ('command' in server) {
    const texts = [server.command, ...(server.args ?? []), ...(server.cwd === undefined ? [] : [server.cwd])]
    return [...texts, ...Object.values(server.env ?? {})]
  }
  return [
    server.url,
    ...Object.values(server.headers ?? {}),
    ...(server.auth === undefined ? [] : [server.auth.bearer]),
  ]
}
