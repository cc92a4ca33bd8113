import type { Card } from '@rollcall/host'
import type { CommandContext } from '../command-context.ts'
import { drawCard } from './draw-card.ts'

/** Rows of a long card that are shown at a time. */
const pageRows = 20

/**
 * Shows a card; a long one in pages, and nothing can be decided before the last.
 *
 * @returns false when the person left before the end.
 */
export async function showCard(
  card: Card,
  { screen, prompts }: Pick<CommandContext, 'screen' | 'prompts'>,
  signal?: AbortSignal,
): Promise<boolean> {
  const lines = drawCard(card, { width: screen.width, paint: screen.notePaint })
  if (!card.isLong) {
    screen.complain('', ...lines)
    return true
  }
  for (let at = 0; at < lines.length; at += pageRows) {
    screen.complain(...lines.slice(at, at + pageRows))
    const left = lines.length - at - pageRows
    if (left <= 0) break
    const more = await prompts.choose(`${left} more rows before you can decide.`, [{ key: 'm', label: 'more' }], signal)
    if (more === undefined) return false
  }
  return true
}
