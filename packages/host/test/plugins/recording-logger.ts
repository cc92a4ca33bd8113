import type { Logger } from '@rollcall/plugin'

/** A logger that keeps what it is told. */
export function createRecordingLogger(): Logger & { readonly lines: (readonly [string, string, object?])[] } {
  const lines: (readonly [string, string, object?])[] = []
  const at = (level: string) => (message: string, fields?: object) => {
    lines.push(fields === undefined ? [level, message] : [level, message, fields])
  }
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
