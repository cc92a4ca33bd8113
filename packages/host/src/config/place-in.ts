/** Where an offset lies in a text, for a person: `line 3, column 5`. */
export function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/)
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}
