import { describe, expect, it } from 'vitest'
import { widthOf } from '../../src/output/safe-text.ts'
import { renderTable } from '../../src/output/table.ts'

const columns = [
  { title: 'NAME', least: 30 },
  { title: 'STATE' },
  { title: 'MS', align: 'right' as const, dropOrder: 2 },
  { title: 'WHERE', dropOrder: 1 },
]
const rows = [
  ['short', 'active', '5', 'here'],
  ['a-name-that-is-quite-long-for-a-table', 'held', '1,234', 'somewhere far away from here'],
]

describe('a table', () => {
  it('aligns its columns, numbers at the right', () => {
    expect(renderTable({ columns, rows, width: 120 })).toEqual([
      `  ${'NAME'.padEnd(37)}  STATE      MS  WHERE`,
      `  ${'short'.padEnd(37)}  active      5  here`,
      `  ${rows[1]?.[0]}  held    1,234  somewhere far away from here`,
    ])
  })

  it('drops the columns that matter least before it cuts a name', () => {
    const lines = renderTable({ columns, rows, width: 60 })
    expect(lines[0]).not.toContain('MS')
    expect(lines[0]).toContain('STATE')
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(60)
  })

  it('cuts what may be cut when nothing is left to drop', () => {
    const long = [['x'.repeat(200), 'active', '1', 'w']]
    for (const line of renderTable({ columns, rows: long, width: 60 })) expect(widthOf(line)).toBeLessThanOrEqual(60)
  })

  it('paints a cell without shifting the next one', () => {
    const paint = (text: string) => `<${text}>`
    const [, line] = renderTable({ columns: columns.slice(0, 2), rows: [['a', { text: 'ok', paint }]], width: 80 })
    expect(line).toBe('  a     <ok>')
  })
})
