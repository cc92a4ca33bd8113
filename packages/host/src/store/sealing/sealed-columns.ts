import type { Json } from '@rollcall/plugin'
import type { StreamId } from '../store.ts'
import { isSealed, type SealedPlace } from './envelope.ts'

export function workingPlace(stream: StreamId): SealedPlace {
  return { table: 'heads', row: [stream], column: 'working' }
}

export function settingPlace(key: string): SealedPlace {
  return { table: 'settings', row: [key], column: 'value' }
}

/** Bound to its owner and its digest, by which it is found. */
export function blobPlace(digest: string, principal: string): SealedPlace {
  return { table: 'blobs', row: [digest, principal], column: 'bytes' }
}

/** Sealed bytes as a value of a column that holds JSON: their heading as it is, what follows in base64. */
export function toColumn(sealed: Buffer): string {
  const end = endOfHeading(sealed)
  return `${sealed.toString('latin1', 0, end)}${sealed.toString('base64', end)}`
}

/** Back again; `undefined` for a value that is not sealed. */
export function fromColumn(value: Json | undefined): Buffer | undefined {
  if (typeof value !== 'string') return undefined
  const text = Buffer.from(value, 'latin1')
  if (!isSealed(text)) return undefined
  const end = endOfHeading(text)
  return Buffer.concat([text.subarray(0, end), Buffer.from(text.toString('latin1', end), 'base64')])
}

/** Behind its fifth colon. */
function endOfHeading(bytes: Buffer): number {
  let end = 0
  for (let colons = 0; colons < 5; colons += 1) {
    const next = bytes.indexOf(':', end)
    if (next === -1) return bytes.length
    end = next + 1
  }
  return end
}
