import { expandVariables, RollcallError, type ServerDeclaration, type ServerKeeping } from '@rollcall/plugin'
import type { AuditOptions } from '../audit/audit-options.ts'
import type { HostOptions, ProviderEntry } from '../host-options.ts'
import type { OutboundRoute } from '../outbound/create-agents.ts'
import type { Config } from './config-schema.ts'
import type { LoadedConfig } from './load-config.ts'
import { resolveSecret } from './resolve-secret.ts'

/** What no file can say: the ports of the host, and the variables of the process. */
export interface HostPorts
  extends Pick<HostOptions, 'connectMcp' | 'services' | 'store' | 'auditKey' | 'logger' | 'clock'> {
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Makes the options of `createHost` from a configuration.
 *
 * @throws {RollcallError} `CONFIG_UNTRUSTED` for a configuration that is not trusted: no host is made from it;
 * `VARIABLE_MISSING` for a proxy that stands in a variable which is not set.
 * @example
 * const loaded = await loadConfig({ cwd: process.cwd(), env: process.env })
 * await using host = await createHost(toHostOptions(loaded, { env: process.env }))
 */
export function toHostOptions(loaded: LoadedConfig, { env, ...ports }: HostPorts): HostOptions {
  if (!loaded.trusted) throw untrusted(loaded)
  const { plugins, pluginsFrom, providers, profiles, outbound, legacyScan, pluginTimeoutMs, mcp } = loaded.config
  const { rules, dataClasses, zones, zoneMode, guardrails, audit } = loaded.config
  return {
    ...ports,
    cwd: loaded.folder,
    resolveSecret: (ref) => resolveSecret(ref, { env, folder: loaded.folder, allow: 'all' }),
    variables: {
      ...namedVariables(plugins, env),
      ROLLCALL_CONFIG_DIR: loaded.folder,
      ROLLCALL_STATE_DIR: loaded.stateFolder,
    },
    ...(plugins && { plugins }),
    ...(pluginsFrom && { pluginsFrom }),
    ...(providers && { providers: mapValues(providers, (entry) => toProviderEntry(entry, mcp?.pin)) }),
    ...(profiles && { profiles: Object.entries(profiles).map(([name, profile]) => toProfile(name, profile, env)) }),
    ...(rules && { rules: rules as NonNullable<HostOptions['rules']> }),
    ...(dataClasses && { dataClasses }),
    ...(zones && { zones }),
    ...(zoneMode && { zoneMode }),
    ...(guardrails && { guardrails }),
    ...(audit && { audit: toAudit(audit, env) }),
    ...(outbound && { outbound: toRoute(outbound, env) }),
    ...(legacyScan && { legacyScan: toLegacyScan(legacyScan) }),
    ...(pluginTimeoutMs && { pluginTimeoutMs }),
  }
}

function untrusted({ file, folder }: LoadedConfig): RollcallError {
  return new RollcallError(
    'CONFIG_UNTRUSTED',
    `${file} is not trusted: it was read as data only and nothing was started.`,
    {
      hint: `Look at it, then run \`rollcall trust ${folder}\`; after an edit it asks again. Or name a file with \`--config\`.`,
      data: { folder },
    },
  )
}

// Only what plugin options name: the rest of the environment is nobody's business in there.
function namedVariables(plugins: Config['plugins'], env: HostPorts['env']): Record<string, string> {
  const names = Array.from(JSON.stringify(plugins ?? []).matchAll(/\$\{(\w+)/g), ([, name = '']) => name)
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}

/** Such addresses are often secrets themselves. @throws {RollcallError} `VARIABLE_MISSING`. */
export function toAudit(audit: NonNullable<Config['audit']>, env: HostPorts['env']): AuditOptions {
  const expand = (text: string) => expandVariables(text, (name) => env[name])
  const { sinks, ...rest } = audit
  if (sinks === undefined) return rest
  return {
    ...rest,
    sinks: sinks.map((sink) =>
      'webhook' in sink
        ? { ...sink, webhook: expand(sink.webhook) }
        : 'otlp' in sink
          ? { ...sink, otlp: expand(sink.otlp) }
          : sink,
    ),
  }
}

function toProfile(
  name: string,
  profile: NonNullable<Config['profiles']>[string],
  env: HostPorts['env'],
): NonNullable<HostOptions['profiles']>[number] {
  const { approvals, ...rest } = profile
  if (approvals?.notify === undefined) return { name, ...profile }
  // Such an address is often a secret itself.
  const webhook = expandVariables(approvals.notify.webhook, (variable) => env[variable])
  return { name, ...rest, approvals: { ...approvals, notify: { ...approvals.notify, webhook } } }
}

type ProviderConfig = NonNullable<Config['providers']>[string]

function toProviderEntry(entry: ProviderConfig, pin: ProviderEntry['pin']): ProviderEntry {
  const { command, args, cwd, env, url, transport, auth, headers, ...rest } = entry
  const { protocol, keepAlive, idleMs, connectTimeoutMs, callTimeoutMs, ...words } = rest
  const keeping: ServerKeeping = {
    ...(protocol && { protocol }),
    ...(keepAlive !== undefined && { keepAlive }),
    ...(idleMs && { idleMs }),
    ...(connectTimeoutMs && { connectTimeoutMs }),
    ...(callTimeoutMs && { callTimeoutMs }),
  }
  const server: ServerDeclaration | undefined =
    command !== undefined
      ? { command, ...(args && { args }), ...(cwd !== undefined && { cwd }), ...(env && { env }), ...keeping }
      : url !== undefined
        ? { url, ...(transport && { transport }), ...(auth && { auth }), ...(headers && { headers }), ...keeping }
        : undefined
  return server === undefined ? words : { ...(pin && { pin }), ...words, server }
}

function toRoute({ proxy, noProxy }: NonNullable<Config['outbound']>, env: HostPorts['env']): OutboundRoute {
  return {
    ...(proxy !== undefined && { proxy: expandVariables(proxy, (name) => env[name]) }),
    ...(noProxy && { noProxy }),
  }
}

// The scan clamps a number and has a default for anything else.
function toLegacyScan(scan: NonNullable<Config['legacyScan']>): NonNullable<HostOptions['legacyScan']> {
  if (typeof scan === 'string') return scan
  const { mode, cacheTtlSeconds } = scan
  return typeof cacheTtlSeconds === 'number' ? { mode, cacheTtlSeconds } : { mode }
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
