import { cutTo, widthOf } from './safe-text.ts'

/** One column of a table. */
export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** Takes what the others leave and is cut first; default: no. */
  readonly flexible?: boolean
  /** The first to vanish where the terminal is too narrow for all; larger goes earlier. 0 or absent: stays. */
  readonly dropOrder?: number
}

/** One cell: its text, and how it is painted once it has been cut and padded. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string }

/**
 * Aligned columns, two blanks apart, indented by two; no line is wider than `width`.
 * Cells must be free of control characters.
 */
export function renderTable(input: {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
  readonly width: number
  readonly paintTitle?: (text: string) => string
}): readonly string[] {
  const layout = layOut(input.columns, input.rows, Math.max(input.width, 60) - indent.length)
  const title = input.paintTitle ?? ((text: string) => text)
  const line = (cells: readonly Cell[]) =>
    (indent + layout.map(({ index, width }) => fit(cells[index] ?? '', width, input.columns[index])).join(gap)).trimEnd()
  const titles = line(input.columns.map((column) => ({ text: column.title, paint: title })))
  return [titles, ...input.rows.map(line)]
}

const indent = '  '
const gap = '  '

interface Placed {
  readonly index: number
  readonly width: number
}

function layOut(columns: readonly Column[], rows: readonly (readonly Cell[])[], room: number): readonly Placed[] {
  let placed = columns.map((column, index) => ({
    index,
    width: Math.max(widthOf(column.title), ...rows.map((row) => widthOf(textOf(row[index] ?? '')))),
  }))
  const total = () => placed.reduce((sum, { width }) => sum + width, 0) + gap.length * (placed.length - 1)
  const least = () =>
    total() - placed.reduce((sum, { index, width }) => sum + (columns[index]?.flexible ? width - leastOf(width) : 0), 0)
  while (least() > room) {
    const next = placed.toSorted((a, b) => dropOrder(columns[b.index]) - dropOrder(columns[a.index]))[0]
    if (next === undefined || dropOrder(columns[next.index]) === 0) break
    placed = placed.filter(({ index }) => index !== next.index)
  }
  for (let excess = total() - room; excess > 0; excess = total() - room) {
    // The widest flexible column gives way; without one the last column is cut.
    const flexible = placed.filter(({ index, width }) => columns[index]?.flexible && width > leastOf(width))
    const widest = flexible.toSorted((a, b) => b.width - a.width)[0] ?? placed.at(-1)
    if (widest === undefined) break
    const width = Math.max(widest.width - excess, Math.min(leastWidth, widest.width))
    if (width === widest.width) break
    placed = placed.map((one) => (one.index === widest.index ? { index: one.index, width } : one))
  }
  return placed
}

const leastWidth = 12
const leastOf = (width: number) => Math.min(width, leastWidth)
const dropOrder = (column: Column | undefined) => column?.dropOrder ?? 0
const textOf = (cell: Cell) => (typeof cell === 'string' ? cell : cell.text)

function fit(cell: Cell, width: number, column: Column | undefined): string {
  const text = cutTo(textOf(cell), width)
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)))
  const painted = typeof cell === 'string' ? text : cell.paint(text)
  return column?.align === 'right' ? blanks + painted : painted + blanks
}
