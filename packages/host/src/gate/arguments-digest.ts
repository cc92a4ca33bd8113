/** Keyed digest of canonical arguments: small values can't be guessed from it. */
export type ArgumentsDigest = `hmac:${string}`
