import { createHash } from 'node:crypto'
import type { Digest } from '@rollcall/plugin'

// Without I, O, 0 and 1: a code is read from one terminal and typed into another.
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** The four characters on an approval card: they change with definition, launch and arguments. */
export function approvalCode(binds: Digest): string {
  const hash = createHash('sha256').update(binds).digest()
  return [...hash.subarray(0, 4)].map((byte) => letters[byte % letters.length]).join('')
}
