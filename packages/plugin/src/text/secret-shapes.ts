/** A kind of secret that can be told by its looks. */
export interface SecretShape {
  /** Shown in place of the secret, as `[redacted:<name>]`. */
  readonly name: string
  readonly pattern: RegExp
}

/** The one catalogue of named secret shapes, read by everything that redacts. */
export const secretShapes: readonly SecretShape[] = []
