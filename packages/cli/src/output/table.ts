import { cutTo, widthOf } from './safe-text.ts'

/** One column of a table. */
export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** May be cut down to this many cells; absent: is never cut while another column can give way. */
  readonly least?: number
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
    (
      indent + layout.map(({ index, width }) => fit(cells[index] ?? '', width, input.columns[index])).join(gap)
    ).trimEnd()
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
    total() - placed.reduce((sum, { index, width }) => sum + (width - leastOf(columns[index], width)), 0)
  while (least() > room) {
    const next = placed.toSorted((a, b) => dropOrder(columns[b.index]) - dropOrder(columns[a.index]))[0]
    if (next === undefined || dropOrder(columns[next.index]) === 0) break
    placed = placed.filter(({ index }) => index !== next.index)
  }
  for (let excess = total() - room; excess > 0; excess = total() - room) {
    // The widest column that may be cut gives way; without one the last column is cut.
    const cuttable = placed.filter(({ index, width }) => width > leastOf(columns[index], width))
    const widest = cuttable.toSorted((a, b) => b.width - a.width)[0] ?? placed.at(-1)
    if (widest === undefined) break
    const least = columns[widest.index]?.least ?? 1
    const width = Math.max(widest.width - excess, Math.min(least, widest.width))
    if (width === widest.width) break
    placed = placed.map((one) => (one.index === widest.index ? { index: one.index, width } : one))
  }
  return placed
}

const leastOf = (column: Column | undefined, width: number) => Math.min(width, column?.least ?? width)
const dropOrder = (column: Column | undefined) => column?.dropOrder ?? 0
const textOf = (cell: Cell) => (typeof cell === 'string' ? cell : cell.text)

function fit(cell: Cell, width: number, column: Column | undefined): string {
  const text = cutTo(textOf(cell), width)
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)))
  const painted = typeof cell === 'string' ? text : cell.paint(text)
  return column?.align === 'right' ? blanks + painted : painted + blanks
}
