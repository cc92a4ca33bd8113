import type { Card, CardRow } from './card.ts'

/**
 * A card as plain text, for faces that show a message and may take it for markdown: each of its lines is indented, so
 * that it stays text there too.
 */
export function cardText({ tool, code, args, about }: Card): string {
  const lines = [...args, ...about].map(([label, text]: CardRow) => `    ${label === '' ? '' : `${label}: `}${text}`)
  return [`Rollcall asks: approve this call? Its code is ${code}.`, '', `    ${tool}`, ...lines].join('\n')
}
