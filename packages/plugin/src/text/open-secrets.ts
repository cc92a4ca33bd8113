import { type FoundSecret, findSecrets } from './find-secrets.ts'
import { unmask } from './unmask.ts'

// With one of these behind it, whatever may still become a secret is one: the end of a value, of an address, of a key.
const endings = ['Aa1Aa1Aa1\n', '@', '.Aa1Aa1', ' Aa1Aa1Aa1"', '"Aa1Aa1Aa1"', '1111}', '-----END PRIVATE KEY-----']

/** The secrets of a text, with their places in it as it stands. */
export function secretsIn(text: string): FoundSecret[] {
  const { plain, indexInText } = unmask(text)
  return findSecrets(plain)
    .filter(({ start, end }) => start < end)
    .map(({ from, start, end, rank }) => ({
      from: indexInText(from),
      start: indexInText(start),
      end: indexInText(end - 1) + 1,
      rank,
    }))
}

/** What would be a secret if the text went on in the right way, cut at its end. */
export function openSecretsIn(text: string): FoundSecret[] {
  return endings
    .flatMap((ending) => secretsIn(text + ending))
    .filter(({ start }) => start <= text.length)
    .map((secret) => ({ ...secret, end: Math.min(secret.end, text.length) }))
}

/** Where the word begins that reaches up to an index. */
export function startOfWord(text: string, index: number): number {
  let at = index
  while (at > 0 && !isBetweenWords(text[at - 1])) at -= 1
  return at
}

/** Where the word ends that goes on at an index. */
export function endOfWord(text: string, index: number): number {
  let at = index
  while (at < text.length && !isBetweenWords(text[at])) at += 1
  return at
}

function isBetweenWords(character = ''): boolean {
  return /[ \t\r\n"'<>`]/.test(character)
}
