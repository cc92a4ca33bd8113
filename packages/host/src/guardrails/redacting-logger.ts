import { type Logger, redactSecrets } from '@rollcall/plugin'
import { describeThrown } from '../isolation/describe-thrown.ts'

const maxDepth = 6

/** A logger that is told no secret of a known shape, whoever logs: the host, a plugin, a tool. */
export function redactingLogger(logger: Logger): Logger {
  const at =
    (level: keyof Logger): Logger[keyof Logger] =>
    (message, fields) =>
      fields === undefined
        ? logger[level](redactSecrets(message))
        : logger[level](redactSecrets(message), redactFields(fields, 0) as object)
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Reading a foreign object runs its getters, and those may throw: then it is not logged. */
function redactFields(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactSecrets(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Error) return describeThrown(value)
  if (depth >= maxDepth) return '[deeper than is logged]'
  try {
    if (Array.isArray(value)) return value.map((part: unknown) => redactFields(part, depth + 1))
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, redactField(key, part, depth + 1)]))
  } catch {
    return '[can not be read]'
  }
}

/** A value may look secret by its name only. */
function redactField(key: string, value: unknown, depth: number): unknown {
  if (typeof value !== 'string') return redactFields(value, depth)
  const shown = `${key}=`
  const redacted = redactSecrets(shown + value)
  return redacted.startsWith(shown) ? redacted.slice(shown.length) : redactSecrets(value)
}
