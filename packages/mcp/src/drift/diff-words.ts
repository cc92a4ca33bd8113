/** A stretch where two texts differ, with a few words around it. */
export interface Hunk {
  readonly was: string
  readonly is: string
}

const contextWords = 3
/** More pairs of words than this are not compared one by one. */
const maxCells = 1_000_000

/** Finds where two texts differ, word by word; blank space counts. */
export function diffWords(was: string, is: string): readonly Hunk[] {
  const [old, now] = [tokensOf(was), tokensOf(is)]
  return joined(changesOf(old, now), old, now).map(({ from, to, at, until }) => {
    const before = old.slice(Math.max(0, from - context), from)
    const after = old.slice(to, to + context)
    const isStart = from <= context
    const isEnd = to + context >= old.length
    const show = (words: readonly string[]) =>
      `${isStart ? '' : '… '}${[...before, ...words, ...after].join('')}${isEnd ? '' : ' …'}`
    return { was: show(old.slice(from, to)), is: show(now.slice(at, until)) }
  })
}

// Each word comes with a blank.
const context = 2 * contextWords

/** Tokens `from` to `to` became `at` to `until`. */
interface Change {
  readonly from: number
  readonly to: number
  readonly at: number
  readonly until: number
}

function tokensOf(text: string): readonly string[] {
  return text.match(/\s+|[^\s]+/g) ?? []
}

function changesOf(old: readonly string[], now: readonly string[]): readonly Change[] {
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1
  let end = 0
  const most = Math.min(old.length, now.length) - start
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1
  const [to, until] = [old.length - end, now.length - end]
  if (start === to && start === until) return []
  if ((to - start) * (until - start) > maxCells) return [{ from: start, to, at: start, until }]
  return between(old, now, { from: start, to, at: start, until })
}

/** By the longest run of words that both have in common. */
function between(old: readonly string[], now: readonly string[], whole: Change): readonly Change[] {
  const { from, to, at, until } = whole
  const width = until - at + 1
  const lengths = new Uint32Array((to - from + 1) * width)
  const lengthAt = (row: number, column: number) => lengths[(row - from) * width + (column - at)] ?? 0
  for (let row = to - 1; row >= from; row -= 1) {
    for (let column = until - 1; column >= at; column -= 1) {
      const length =
        old[row] === now[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1))
      lengths[(row - from) * width + (column - at)] = length
    }
  }
  const changes: Change[] = []
  let [row, column] = [from, at]
  while (row < to || column < until) {
    const [startRow, startColumn] = [row, column]
    while ((row < to || column < until) && !(row < to && column < until && old[row] === now[column])) {
      if (column >= until || (row < to && lengthAt(row + 1, column) >= lengthAt(row, column + 1))) row += 1
      else column += 1
    }
    if (row > startRow || column > startColumn)
      changes.push({ from: startRow, to: row, at: startColumn, until: column })
    while (row < to && column < until && old[row] === now[column]) {
      row += 1
      column += 1
    }
  }
  return changes
}

/** Changes whose surroundings would overlap are read as one. */
function joined(changes: readonly Change[], old: readonly string[], now: readonly string[]): readonly Change[] {
  const result: Change[] = []
  for (const change of changes) {
    const last = result.at(-1)
    if (last !== undefined && change.from - last.to <= 2 * context) {
      result[result.length - 1] = { ...last, to: change.to, until: change.until }
    } else result.push(change)
  }
  // A text of a few words is read whole.
  const [first] = result
  if (first !== undefined && old.length <= 4 * context && now.length <= 4 * context) {
    return [{ from: 0, to: old.length, at: 0, until: now.length }]
  }
  return result
}
