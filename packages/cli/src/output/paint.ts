import picocolors from 'picocolors'

/** Colour carries meaning only: green fine, yellow held, red failed, dim for what can be ignored. */
export interface Paint {
  green(text: string): string
  yellow(text: string): string
  red(text: string): string
  dim(text: string): string
  bold(text: string): string
}

/** The colours of a terminal, or none at all. */
export function createPaint(colour: boolean): Paint {
  const { green, yellow, red, dim, bold } = picocolors.createColors(colour)
  return { green, yellow, red, dim, bold }
}

/** Tells whether a stream may be coloured: a terminal, unless the user or `NO_COLOR` says otherwise. */
export function wantsColour(input: {
  readonly isTerminal: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly noColor: boolean
}): boolean {
  if (input.noColor || (input.env.NO_COLOR ?? '') !== '' || input.env.TERM === 'dumb') return false
  return input.isTerminal
}
