import type { Pending } from '../invoke/outcome.ts'
import { argumentRows, shownText } from './card.ts'

/** What a person is asked for, as plain text; indented, so that it stays text where a message may be taken for markdown. */
export function formText({ tool, args }: Extract<Pending, { kind: 'input' }>): string {
  const known = argumentRows(args).map(([key, value]) => `    ${key}: ${value}`)
  return [`Rollcall asks: what ${shownText(tool)} is to know from you.`, '', ...known].join('\n')
}
