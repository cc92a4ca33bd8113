import type { LoadedConfig } from '@rollcall/host/config'
import { redactSecrets } from '@rollcall/plugin'

/** Keys under which values are shown by their source only. */
const secretHolders: ReadonlySet<string> = new Set(['env', 'headers', 'auth', 'key'])
/** The options of plugins have names that nobody here knows. */
const secretName = /(?:key|token|secret|password|passphrase|passwd|credentials?|authorization|bearer)$/i

/** The configuration with its defaults, as data; nothing in it that was meant to be secret. */
export function effectiveConfig({ config }: Pick<LoadedConfig, 'config'>): object {
  return masked({
    ...config,
    plugins: config.plugins ?? [],
    providers: config.providers ?? {},
    profiles: { direct: { zone: 'local' }, default: { zone: 'externalGlobal' }, ...config.profiles },
    http: { host: defaultHttp.host, port: defaultHttp.port, keyless: [], ...config.http },
  }) as object
}

/** Where the one listener is bound when the configuration does not say. */
export const defaultHttp = { host: '127.0.0.1', port: 4_321 } as const

function masked(value: unknown, underSecret = false): unknown {
  if (typeof value === 'string') return underSecret ? maskedText(value) : redactSecrets(withoutPassword(value))
  if (Array.isArray(value)) return value.map((item) => masked(item, underSecret))
  if (typeof value !== 'object' || value === null) return value
  // A reference to a secret is its source, and that is what should be shown.
  if (underSecret && isReference(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === 'args' && Array.isArray(item)
        ? item.map((arg) => masked(withoutValue(arg)))
        : masked(item, underSecret || secretHolders.has(key) || secretName.test(key)),
    ]),
  )
}

/** Only texts made of variables are shown as they are written: they hold names, no values. */
function maskedText(text: string): string {
  return /^(?:\$\{[A-Za-z_]\w*\}|[/\\.\w-]*\$\{ROLLCALL_(?:STATE|CONFIG)_DIR\}[/\\.\w-]*)$/.test(text)
    ? text
    : '[in the file]'
}

function isReference(value: object): boolean {
  const [key, ...others] = Object.keys(value)
  return others.length === 0 && ['env', 'file', 'store', 'command'].includes(key ?? '')
}

/** What an option of a command line is set to; nobody here knows which options are secret. */
function withoutValue(arg: unknown): unknown {
  return typeof arg === 'string'
    ? arg.replace(/^(-[^=]*=)(.+)$/s, (_, name, value) => `${name}${maskedText(value)}`)
    : arg
}

function withoutPassword(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/\s]*@/i, '$1[in the file]@')
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^?#\s]*)[?#].*$/is, '$1?[in the file]')
}
