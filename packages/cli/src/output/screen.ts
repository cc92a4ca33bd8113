import { jsonText } from './json-text.ts'
import { createPaint, type Paint, wantsColour } from './paint.ts'

/** Where a command speaks: results on standard output, everything else on standard error. */
export interface Screen {
  /** Results are JSON on standard output, without decoration. */
  readonly json: boolean
  /** A person can be asked: both ends are terminals and nobody asked for JSON. */
  readonly interactive: boolean
  /** A person reads standard output, not a program. */
  readonly isTerminal: boolean
  /** Columns, at least 60. */
  readonly width: number
  /** Colours of standard output. */
  readonly paint: Paint
  /** Colours of standard error. */
  readonly notePaint: Paint
  /** Lines of the result. Says nothing in JSON mode. */
  print(...lines: readonly string[]): void
  /** The result as JSON. Says nothing outside JSON mode. */
  data(value: unknown): void
  /** Progress and remarks; silent with `--quiet`. */
  note(...lines: readonly string[]): void
  /** What went wrong, on standard error; never silent. */
  complain(...lines: readonly string[]): void
}

/** What a screen writes to. */
export interface ScreenOptions {
  readonly writeOut: (text: string) => void
  readonly writeErr: (text: string) => void
  readonly outIsTerminal: boolean
  readonly errIsTerminal: boolean
  readonly inIsTerminal: boolean
  readonly columns: number | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly json: boolean
  readonly quiet: boolean
  readonly noColor: boolean
}

/** Makes the screen of one command. */
export function createScreen(options: ScreenOptions): Screen {
  const { json, quiet, env, noColor } = options
  const lines = (write: (text: string) => void) => (texts: readonly string[]) => {
    if (texts.length > 0) write(`${texts.join('\n')}\n`)
  }
  const out = lines(options.writeOut)
  const err = lines(options.writeErr)
  return {
    json,
    interactive: !json && options.inIsTerminal && options.errIsTerminal,
    isTerminal: options.outIsTerminal,
    width: Math.max(60, options.columns ?? 120),
    paint: createPaint(wantsColour({ isTerminal: options.outIsTerminal, env, noColor })),
    notePaint: createPaint(wantsColour({ isTerminal: options.errIsTerminal, env, noColor })),
    print(...texts) {
      if (!json) out(texts)
    },
    data(value) {
      if (json) options.writeOut(`${jsonText(value)}\n`)
    },
    note(...texts) {
      if (!quiet) err(texts)
    },
    complain(...texts) {
      err(texts)
    },
  }
}
