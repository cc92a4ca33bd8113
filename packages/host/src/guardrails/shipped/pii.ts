import type { Guardrail, GuardrailVerdict, TextRange } from '@rollcall/plugin'

/**
 * Redacts what tells a person: e-mail addresses, phone numbers, payment cards (with their check digit) and bank accounts
 * (IBAN, with its checksum). Arguments that hold such a thing are put before a person.
 */
export const pii: Guardrail = {
  id: 'pii',
  input: redact,
  output: redact,
  toolResult: redact,
  toolArguments(text) {
    const labels = new Set(findPersonal(text).map(({ label }) => label))
    return labels.size === 0
      ? { verdict: 'allow' }
      : { verdict: 'ask', reason: `the arguments hold ${[...labels].join(', ')}` }
  },
}

function redact(text: string): GuardrailVerdict {
  const ranges = findPersonal(text)
  return ranges.length === 0 ? { verdict: 'allow' } : { verdict: 'redact', ranges }
}

interface Kind {
  readonly label: string
  /** Global, linear: every unbounded part starts at the start of its run. */
  readonly pattern: RegExp
  readonly isReal: (match: string) => boolean
}

// A number in a longer run of letters, digits or parts of an id is no phone number and no card.
const before = String.raw`(?<![\w.+\-/#=]|(?<!"):)`
const after = String.raw`(?![\w\-/]|[.,:]\d)`

const kinds: readonly Kind[] = [
  {
    label: 'email',
    pattern:
      /(?<![\w.+\-%])[\w.+\-%]{1,64}@(?:[\p{L}\d](?:[\p{L}\d-]{0,61}[\p{L}\d])?\.){1,8}\p{L}{2,24}(?![\p{L}\d-])/gu,
    isReal: () => true,
  },
  {
    label: 'iban',
    pattern: /(?<![\w-])[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?(?![\w-])/g,
    isReal: hasIbanChecksum,
  },
  {
    label: 'card',
    pattern: new RegExp(String.raw`${before}\d(?:[ \-]?\d){12,18}${after}`, 'g'),
    isReal: isCard,
  },
  {
    // In the international form, or in groups as people write it: a bare run of digits may be any number.
    label: 'phone',
    pattern: new RegExp(
      String.raw`${before}(?:\+|00)[1-9]\d{0,2}(?:[ \-./]?\(?\d{1,5}\)?){2,6}(?![\w\-])|${before}\(?0\d{1,4}\)?[ \-/]\d{2,4}(?:[ \-]?\d{2,4}){1,4}${after}|${before}\(?[2-9]\d{2}\)?[ \-.]\d{3}[ \-.]\d{4}${after}`,
      'g',
    ),
    isReal: (match) => {
      const digits = match.replace(/\D/g, '').length
      return digits >= 8 && digits <= 17
    },
  },
]

/** Earlier kinds win where two meet. */
function findPersonal(text: string): (TextRange & { readonly label: string })[] {
  const found: (TextRange & { readonly label: string })[] = []
  for (const { label, pattern, isReal } of kinds) {
    for (const { 0: match, index } of text.matchAll(pattern)) {
      const range = { start: index, end: index + match.length, label }
      if (isReal(match) && !found.some(({ start, end }) => start < range.end && range.start < end)) found.push(range)
    }
  }
  return found
}

/** @see ISO/IEC 7812-1, annex B (Luhn) */
function isCard(match: string): boolean {
  const digits = match.replace(/\D/g, '')
  if (!/^[3-6]/.test(digits) && !/^2[2-7]/.test(digits)) return false
  if (/^(\d)\1+$/.test(digits)) return false
  const sum = [...digits].reverse().reduce((total, character, index) => {
    const digit = Number(character) * (index % 2 === 1 ? 2 : 1)
    return total + (digit > 9 ? digit - 9 : digit)
  }, 0)
  return sum % 10 === 0
}

/** @see ISO 7064, MOD 97-10 */
function hasIbanChecksum(match: string): boolean {
  const iban = match.replaceAll(' ', '')
  if (iban.length < 15 || iban.length > 34) return false
  let rest = 0
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}
