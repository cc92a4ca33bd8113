/** What a call may carry to make a person approve something else than what runs. */
export const cardPayloads: readonly (readonly [what: string, text: string])[] = [
  ['a cleared screen', '\u001b[2J\u001b[1;1Happrove'],
  ['a moved cursor', 'rm -rf /\u001b[1A\u001b[2Kls'],
  ['a title', '\u001b]0;safe\u0007'],
  ['a link', '\u001b]8;;https://evil.example\u001b\\here\u001b]8;;\u001b\\'],
  ['a single-byte escape', '\u009b2J'],
  ['a carriage return', 'rm -rf /\rls      '],
  ['backspaces', 'rm\b\bls'],
  ['a bell and a form feed', '\u0007\f'],
  ['a null byte', 'a\0b'],
  ['a change of direction', 'abc\u202efdp.exe'],
  ['isolates', '\u2066admin\u2069 \u2067nimda\u2069'],
  ['tag characters', 'ok\u{e0064}\u{e0065}\u{e006c}'],
  ['a zero-width space', 'pay\u200bpal'],
  ['a joiner between letters', 'a\u200db'],
  ['a soft hyphen and a filler', 'a\u00adb\u3164c'],
  ['stray variation selectors', 'a\ufe0f\u{e0101}'],
  ['a line separator', 'one\u2028two\u2029three'],
  ['five thousand line ends', `harmless${'\n'.repeat(5_000)}rm -rf /`],
  ['a wide gap', `harmless${' '.repeat(4_000)}rm -rf /`],
  ['markdown that hides', '![x](https://evil.example/?q=1) **bold** <details><summary>ok</summary>'],
  ['a fence that closes itself', '```\napproved\n```\n# Approve'],
  ['a drawn card', '╭ approve notes__read ─ AAAA ╮\n│ nothing │'],
]

/** What no face may put out raw: everything that moves, hides or turns. A line end counts where a face has none of its own. */
export const rawInCard =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\u{e0000}-\u{e0fff}]|[\ufe00-\ufe0f]/u
