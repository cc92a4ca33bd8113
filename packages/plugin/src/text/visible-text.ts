// The hidden: controls but for line end and tab, lone surrogates, line and paragraph separators, and all that Unicode
// lets a renderer ignore (zero-width, bidi controls, fillers, variation selectors, tags).
const hidden = String.raw`(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]`

const pictograph = String.raw`\p{Extended_Pictographic}`
const joiningScripts = 'Arab Syrc Nkoo Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt'.split(' ')
const joiningLetter = `[[${joiningScripts.map((script) => `\\p{Script_Extensions=${script}}`).join('')}]&&[\\p{L}\\p{M}]]`
const virama = String.raw`[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]`
const tag = (letters: string) => [...letters].map((letter) => `\\u{E00${letter.charCodeAt(0).toString(16)}}`).join('')

// The hidden characters that ordinary writing needs, each only where it has its meaning.
const legitimate = [
  // Joined emoji, as in a family or a profession.
  String.raw`(?<=${pictograph}\uFE0F?|\p{Emoji_Modifier})\u200D(?=${pictograph})`,
  // An emoji shown as a picture or as text, and a keycap.
  String.raw`(?<=${pictograph})[\uFE0E\uFE0F]`,
  String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  // Joiners between the letters of scripts whose letters join, and after a killed vowel.
  String.raw`(?<=${joiningLetter})[\u200C\u200D](?=${joiningLetter})`,
  String.raw`(?<=${virama})[\u200C\u200D]`,
  // The flags of England, Scotland and Wales are the only tag sequences in use.
  ...['gbeng', 'gbsct', 'gbwls'].flatMap((region) =>
    [...region, '\x7F'].map(
      (letter, index) =>
        `(?<=\\u{1F3F4}${tag(region.slice(0, index))})${tag(letter)}(?=${tag(`${region}\x7F`.slice(index + 1))})`,
    ),
  ),
]
const hiddenAlone = new RegExp(`(?=${hidden})${legitimate.map((place) => `(?!${place})`).join('')}[^]`, 'gv')

/** Tells whether a text holds characters that a reader would not see; agrees with `visibleText`. */
export function hasHiddenCharacters(text: string): boolean {
  return text.search(hiddenAlone) !== -1
}

/**
 * Writes what a reader would not see, or what would drive a terminal, as `\u{XXXX}`: controls (carriage return too),
 * bidi controls, zero-width and tag characters, stray variation selectors, lone surrogates.
 *
 * Keeps line ends, tabs, emoji and the joiners that Arabic and Indic writing needs. A second application changes nothing.
 */
export function visibleText(text: string): string {
  return text.replace(hiddenAlone, writeEscape)
}

function writeEscape(character: string): string {
  const digits = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `\\u{${digits}}`
}
