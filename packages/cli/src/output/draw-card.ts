import type { Card, CardRow } from '@rollcall/host'
import type { Paint } from './paint.ts'
import { widthOf } from './safe-text.ts'

/** Draws a card as a box for a terminal: nothing of it is cut. */
export function drawCard(card: Card, terminal: { readonly width: number; readonly paint: Paint }): readonly string[] {
  const { tool, code } = card
  const inner = Math.min(Math.max(terminal.width, 60), 100) - 4
  const plain = [...pairs(card.args, inner), '', ...pairs(card.about, inner)]
  const fits = widthOf(tool) + 'approve '.length + code.length + 6 <= inner
  const title = fits ? `approve ${tool}` : 'approve'
  const body = fits ? plain : [...chop(tool, inner), '', ...plain]
  const { dim, bold } = terminal.paint
  const rule = '─'.repeat(Math.max(1, inner - widthOf(title) - code.length - 2))
  return [
    `${dim('╭')} ${bold(title)} ${dim(rule)} ${bold(code)} ${dim('╮')}`,
    ...body.map((line) => `${dim('│')} ${line}${' '.repeat(Math.max(0, inner - widthOf(line)))} ${dim('│')}`),
    dim(`╰${'─'.repeat(inner + 2)}╯`),
  ]
}

function pairs(rows: readonly CardRow[], width: number): readonly string[] {
  const labelWidth = Math.min(24, Math.max(...rows.map(([label]) => widthOf(label))))
  return rows.flatMap(([label, text]) => {
    const pad = (shown: string) => shown + ' '.repeat(Math.max(0, labelWidth - widthOf(shown)))
    const chunks = chop(text, width - labelWidth - 3)
    if (widthOf(label) > labelWidth) return [...chop(label, width), ...chunks.map((chunk) => `${pad('')}   ${chunk}`)]
    return chunks.map((chunk, at) => `${pad(at === 0 ? label : '')}   ${chunk}`.trimEnd())
  })
}

function chop(text: string, width: number): readonly string[] {
  const chunks: string[] = []
  let chunk = ''
  let used = 0
  for (const character of text) {
    const cells = widthOf(character)
    if (used + cells > width) {
      chunks.push(chunk)
      chunk = ''
      used = 0
    }
    chunk += character
    used += cells
  }
  return [...chunks, chunk]
}
