/** What makes a spreadsheet take a cell for a formula. */
const formula = /^[=+\-@\t\r]/

/** One line of CSV, in which every cell is text and none a formula. @see RFC 4180 */
export function csvLine(cells: readonly string[]): string {
  return cells.map(cell).join(',')
}

function cell(text: string): string {
  const plain = formula.test(text) ? `'${text}` : text
  return /[",\r\n']/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
