import { isRollcallError, type Json, type RollcallErrorCode, redactSecrets } from '@rollcall/plugin'
import { type ExitCode, exitCode, exitCodeOf } from '../exit-code.ts'
import { oneLine, widthOf } from './safe-text.ts'
import type { Screen } from './screen.ts'
import { wrap } from './wrap.ts'

/** One fault of several: where it is and what is wrong with it. */
interface Fault {
  readonly path: string
  readonly message: string
}

/** Shows an error that ends a command: as text on standard error or as JSON on standard output. @returns the exit code. */
export function renderError(error: unknown, screen: Screen): ExitCode {
  const { code, message, hint, faults } = describe(error)
  screen.data({ error: { code, message, hint, ...(faults.length > 0 && { faults }) } })
  if (!screen.json) screen.complain(...asText({ code, message, hint, faults }, screen))
  return code === 'INTERNAL' ? exitCode.usage : exitCodeOf(code)
}

interface Described {
  readonly code: RollcallErrorCode | 'INTERNAL'
  readonly message: string
  readonly hint: string
  readonly faults: readonly Fault[]
}

function describe(error: unknown): Described {
  if (isRollcallError(error)) {
    const message = redactSecrets(error.message)
    return { code: error.code, message, hint: redactSecrets(error.hint), faults: faultsOf(error.data?.faults) }
  }
  const message = redactSecrets(error instanceof Error ? error.message : String(error))
  return {
    code: 'INTERNAL',
    message,
    hint: 'This is a fault of Rollcall; please report it with -vv output.',
    faults: [],
  }
}

function faultsOf(value: Json | undefined): readonly Fault[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((fault: unknown): Fault[] => {
    if (typeof fault !== 'object' || fault === null) return []
    const { path, message } = fault as { readonly path?: unknown; readonly message?: unknown }
    return typeof path === 'string' && typeof message === 'string' ? [{ path, message: redactSecrets(message) }] : []
  })
}

function asText({ code, message, hint, faults }: Described, screen: Screen): readonly string[] {
  const { red, dim } = screen.notePaint
  const head = wrap(oneLine(faults.length > 0 ? (message.split('\n')[0] ?? message) : message), screen.width - 10)
  const pathWidth = Math.min(32, Math.max(0, ...faults.map(({ path }) => widthOf(oneLine(path)))))
  const listed = faults.flatMap((fault) => {
    const path = oneLine(fault.path)
    const texts = wrap(oneLine(fault.message), screen.width - pathWidth - 6)
    if (widthOf(path) > pathWidth) return [`  ${path}`, ...texts.map((text) => `  ${' '.repeat(pathWidth)}  ${text}`)]
    return texts.map((text, at) => `  ${at === 0 ? path.padEnd(pathWidth) : ' '.repeat(pathWidth)}  ${text}`)
  })
  return [
    `${red('rollcall:')} ${head.join('\n          ')}`,
    ...(listed.length > 0 ? ['', ...listed, ''] : []),
    ...wrap(oneLine(hint), screen.width - 2).map((line) => `  ${line}`),
    '',
    dim(`${code}${beforeStart.has(code) ? ' · nothing was started' : ''}`),
  ]
}

const beforeStart: ReadonlySet<string> = new Set([
  'CONFIG_INVALID',
  'CONFIG_UNTRUSTED',
  'USAGE',
  'PORT_IN_USE',
  'LOCK_INVALID',
  'NODE_UNSUPPORTED',
])
