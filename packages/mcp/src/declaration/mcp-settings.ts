import { type Logger, RollcallError, type SecretRef, silentLogger } from '@rollcall/plugin'
import type { McpLimits, McpOptions } from '../mcp.ts'

/** The options with their defaults filled in: what every room of this package reads. */
export interface McpSettings {
  readonly lockFile: string
  readonly folder: string
  readonly logger: Logger
  readonly limits: McpLimits
  readonly allowedCommands: readonly (readonly string[])[]
  readonly secretsAllow: ReadonlySet<string>
  readonly pinning: 'background' | 'off'
  readonly frozen: boolean
  readonly readOnly: boolean
  readonly onDrift: 'hold' | 'refuse' | 'accept'
  readonly variables: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly idleMs: number
  /** A server is told none of its declared secrets. */
  readonly withholdSecrets: boolean
  readonly resolveSecret: (ref: SecretRef, asker: { readonly announced: boolean }) => Promise<string>
}

const limits: McpLimits = {
  connectTimeoutMs: 30_000,
  callTimeoutMs: 60_000,
  maxTotalTimeoutMs: 300_000,
  resultBytes: 10_000_000,
  tools: 500,
  pages: 50,
  listBytes: 2_000_000,
}

/** Fills in what the caller left out. */
export function settingsOf(options: McpOptions): McpSettings {
  const env = options.env ?? process.env
  const secretsAllow = new Set(options.secretsAllow ?? [])
  return {
    lockFile: options.lockFile,
    folder: options.folder,
    logger: options.logger ?? silentLogger,
    limits: { ...limits, ...options.limits },
    allowedCommands: options.allowedCommands ?? [],
    secretsAllow,
    pinning: options.readOnly === true ? 'off' : (options.pinning ?? 'background'),
    frozen: options.readOnly === true || (options.frozen ?? isSet(env.CI)),
    readOnly: options.readOnly ?? false,
    onDrift: options.onDrift ?? 'hold',
    variables: options.variables ?? {},
    env,
    idleMs: options.idleMs ?? 300_000,
    withholdSecrets: false,
    resolveSecret:
      options.resolveSecret ??
      (async (ref, asker) => readVariable(ref, env, (name) => !asker.announced || secretsAllow.has(name))),
  }
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false'
}

function readVariable(
  ref: SecretRef,
  env: Readonly<Record<string, string | undefined>>,
  mayRead: (name: string) => boolean,
): string {
  if (!('env' in ref)) {
    throw new RollcallError('SECRET_MISSING', 'Only secrets of the kind { "env": "NAME" } can be read here.', {
      hint: 'Use { "env": "NAME" }, or give createMcp a resolveSecret.',
    })
  }
  const value = mayRead(ref.env) && Object.hasOwn(env, ref.env) ? env[ref.env] : undefined
  if (value !== undefined && value !== '') return value
  const hint = mayRead(ref.env) ? `Set ${ref.env} in the environment.` : `Add "${ref.env}" to "secrets.allow".`
  throw new RollcallError('SECRET_MISSING', `The secret of the variable ${ref.env} is not set or may not be read.`, {
    hint,
  })
}
