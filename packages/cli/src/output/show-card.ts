import type { CommandContext } from '../command-context.ts'
import type { ApprovalCard } from './approval-card.ts'

/** Rows of a long card that are shown at a time. */
const pageRows = 20

/**
 * Shows a card; a long one in pages, and nothing can be decided before the last.
 *
 * @returns false when the person left before the end.
 */
export async function showCard(
  card: ApprovalCard,
  { screen, prompts }: Pick<CommandContext, 'screen' | 'prompts'>,
  signal?: AbortSignal,
): Promise<boolean> {
  if (!card.isLong) {
    screen.complain('', ...card.lines)
    return true
  }
  for (let at = 0; at < card.lines.length; at += pageRows) {
    screen.complain(...card.lines.slice(at, at + pageRows))
    const left = card.lines.length - at - pageRows
    if (left <= 0) break
    const more = await prompts.choose(`${left} more rows before you can decide.`, [{ key: 'm', label: 'more' }], signal)
    if (more === undefined) return false
  }
  return true
}
