import { secretShapes } from './secret-shapes.ts'

/** Replaces everything in a text that looks like a secret by `[redacted:<shape>]`. */
export function redactSecrets(text: string): string {
  return secretShapes.reduce((redacted, { name, pattern }) => redacted.replace(pattern, `[redacted:${name}]`), text)
}
