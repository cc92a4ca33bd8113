import { type Logger, redactSecrets } from '@rollcall/plugin'
import pino from 'pino'
import { oneLine } from './output/safe-text.ts'

export type LogLevel = 'silent' | 'warn' | 'info' | 'debug'

/**
 * A pino logger behind the library's port: one line a fact, redacted and escaped.
 * A person's terminal gets words, everything else JSON.
 */
export function createLogger(options: {
  readonly level: LogLevel
  readonly isTerminal: boolean
  readonly write: (text: string) => void
}): Logger {
  const stream = { write: (line: string) => options.write(options.isTerminal ? forPerson(line) : line) }
  const log = pino({ level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream)
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, fields?: object) => {
    if (log.isLevelEnabled(level)) log[level](clean(fields ?? {}), safe(message))
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

const safe = (text: string) => oneLine(redactSecrets(text))

function clean(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, cleanValue(value)]))
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return safe(value)
  if (value instanceof Error) return safe(value.message)
  if (typeof value !== 'object' || value === null) return value
  return safe(JSON.stringify(value) ?? '')
}

const levels: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' }

function forPerson(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
  const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${String(value)}`)
  return `${String(time).slice(11, 19)} ${(levels[Number(level)] ?? '').padEnd(5)} ${String(msg)}${rest.join('')}\n`
}
