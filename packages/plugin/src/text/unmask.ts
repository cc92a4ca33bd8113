/** A text without what could hide a word in it, and the way back to the original. */
export interface UnmaskedText {
  readonly plain: string
  /** Index in the original of the character at an index of `plain`. */
  indexInText(index: number): number
}

// All that has no width, as such or as an escape of a JSON text.
const noWidth =
  /\p{Default_Ignorable_Code_Point}|\\u(?:00ad|034f|061c|180e|200[b-f]|202[a-e]|20[6][0-9a-f]|fe0[0-9a-f]|feff)/giu

// Letters of other alphabets that look like Latin ones; one code unit each, so that indexes stay.
const lookAlikes = new Map([
  ...zip('АВЕЅІЈКМНОРСТХУаеѕіјорсхуԁһԛԝ', 'ABESIJKMHOPCTXYaesijopcxydhqw'),
  ...zip('ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοι', 'ABEZHIKMNOPTYXoi'),
  ['\u2010', '-'],
  ['\u2011', '-'],
  ['\u2212', '-'],
])
// But for the full-width quote and backslash: read as what they look like, they would end or escape a JSON string.
const fullWidth = '\uFF01\uFF03-\uFF3B\uFF3D-\uFF5E'
const lookAlike = new RegExp(`[${[...lookAlikes.keys()].join('')}${fullWidth}]`, 'g')

/** Takes out characters without width and reads look-alikes as the letters they pass for. */
export function unmask(text: string): UnmaskedText {
  const read = text.replace(lookAlike, readLookAlike)
  const keptStarts: number[] = []
  const textStarts: number[] = []
  let plain = ''
  let from = 0
  for (const { 0: hidden, index } of read.matchAll(noWidth)) {
    if (index > from) {
      keptStarts.push(plain.length)
      textStarts.push(from)
      plain += read.slice(from, index)
    }
    from = index + hidden.length
  }
  if (from === 0) return { plain: read, indexInText: (index) => index }
  keptStarts.push(plain.length)
  textStarts.push(from)
  plain += read.slice(from)
  return {
    plain,
    indexInText(index) {
      const piece = lastAtMost(keptStarts, index)
      return (textStarts[piece] ?? 0) + index - (keptStarts[piece] ?? 0)
    },
  }
}

function readLookAlike(character: string): string {
  // The full-width forms lie at one distance from ASCII.
  return lookAlikes.get(character) ?? String.fromCharCode(character.charCodeAt(0) - 0xfee0)
}

function zip(from: string, to: string): (readonly [string, string])[] {
  return [...from].map((character, index) => [character, to[index] ?? character] as const)
}

/** Position of the last item that is not greater, by halving. */
function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((sorted[middle] ?? 0) <= value) low = middle
    else high = middle - 1
  }
  return low
}
