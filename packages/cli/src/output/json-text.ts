/** Characters that JSON leaves as they are, and that drive a terminal or hide: written as escapes, the data is the same. */
const unseen = /[\x7f-\x9f\u2028\u2029\p{Cf}\p{Variation_Selector}]/gu

/** A value as indented JSON that is safe to show on a terminal. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(unseen, (character) =>
    Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
