import { resolve } from 'node:path'
import type { McpClaim } from '@rollcall/host'
import { expandVariables, RollcallError, redactSecrets, type SecretRef, visibleText } from '@rollcall/plugin'
import { isAllowedCommand } from './allowed-command.ts'
import { inheritedEnvironment, isInherited, isLoadingVariable } from './child-environment.ts'
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
function isAnnounced(claim: McpClaim): boolean {
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
  if (
    !isAllowedCommand(argv, settings.allowedCommands, { folder: settings.folder, cwd, path: settings.env.PATH ?? '' })
  ) {
    // As written: what a variable holds may be a secret, and so may a word that another plugin wrote.
    const written = [server.command, ...(server.args ?? [])].map((word) => visibleText(redactSecrets(word)))
    throw new RollcallError('LAUNCH_REFUSED', `${appId} would start "${written.join(' ')}", which is not allowed.`, {
      hint: `Add the beginning of that command line to "mcp.allowedCommands", for example ${JSON.stringify(written)}.`,
    })
  }
  const loading = Object.keys(server.env ?? {}).find(isLoadingVariable)
  if (loading === undefined) return
  throw new RollcallError('LAUNCH_REFUSED', `${appId} would set ${loading}, which makes a program load other code.`, {
    hint: `Only your own configuration may set it: under "providers.${appId}.env".`,
  })
}

async function resolveStdio(claim: McpClaim, server: StdioDeclaration, settings: McpSettings): Promise<ResolvedStdio> {
  const reader = readerFor(claim, settings)
  const args = (server.args ?? []).map(reader.expand)
  const declared = await readAll(server.env ?? {}, reader, settings)
  return {
    kind: 'stdio',
    name: claim.appId,
    command: reader.expand(server.command),
    args,
    cwd: folderOf(server, reader.lookup, settings),
    env: { ...inheritedEnvironment(settings.env), ...declared },
    secrets: [...reader.secrets(), ...secretOptions(args)],
  }
}

async function resolveHttp(claim: McpClaim, server: HttpDeclaration, settings: McpSettings): Promise<ResolvedHttp> {
  const reader = readerFor(claim, settings)
  const declared = await readAll(server.headers ?? {}, reader, settings)
  const url = URL.parse(reader.expand(server.url))
  if (url === null) {
    throw new RollcallError('PROVIDER_INVALID', `The address of ${claim.appId} is no URL.`, {
      hint: `Correct "providers.${claim.appId}.url".`,
    })
  }
  const token = settings.withholdSecrets ? undefined : server.auth && (await reader.secret(server.auth.bearer))
  const headers = token === undefined ? declared : { ...declared, authorization: `Bearer ${token}` }
  return {
    kind: 'http',
    name: claim.appId,
    url,
    // The operator's word counts for whoever declared it; without one, only the operator's own may lead there.
    allowPrivate: claim.words.allowPrivateNetwork ?? !isAnnounced(claim),
    transport: server.transport,
    headers,
    // Header values are secrets however they were written.
    secrets: [...reader.secrets(), ...Object.values(declared)],
  }
}

/** What options are set to whose names say that nobody else should know. */
function secretOptions(args: readonly string[]): readonly string[] {
  return args.flatMap((arg) => /^-[^=]*(?:pass|token|key|secret|auth|cred|pwd)[^=]*=(.+)$/is.exec(arg)?.[1] ?? [])
}

/** Reads what one claim gives, and remembers every value that must not be shown. */
interface Reader {
  lookup(name: string): string | undefined
  expand(text: string): string
  secret(ref: SecretRef): Promise<string>
  secrets(): readonly string[]
}

function readerFor(claim: McpClaim, settings: McpSettings): Reader {
  const seen = new Set<string>()
  const known = lookupFor(claim, settings)
  const lookup = (name: string) => {
    const value = known(name)
    // What a variable of the operator holds may be a secret; what every server is told anyway is none.
    if (value !== undefined && !Object.hasOwn(settings.variables, name) && !isInherited(name)) seen.add(value)
    return value
  }
  return {
    lookup,
    expand: (text) => expandVariables(text, lookup),
    async secret(ref) {
      const value = await settings.resolveSecret(ref, { announced: isAnnounced(claim) })
      seen.add(value)
      return value
    },
    secrets: () => [...seen],
  }
}

async function readAll(
  given: Readonly<Record<string, Given>>,
  reader: Reader,
  settings: McpSettings,
): Promise<Readonly<Record<string, string>>> {
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'string') values[name] = reader.expand(value)
    else if (!settings.withholdSecrets) values[name] = await reader.secret(value)
  }
  return values
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
