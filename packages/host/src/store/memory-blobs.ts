import { createHash } from 'node:crypto'
import type { Digest } from '@rollcall/plugin'
import type { Blobs, StreamId } from './store.ts'

/** What belongs to one owner, by digest, stream and principal. */
export type MemoryBlobRows = Map<string, MemoryBlob>

export interface MemoryBlob {
  readonly digest: Digest
  readonly stream: StreamId
  readonly principal: string
  readonly type: string
  readonly bytes: Uint8Array
}

/** Whole results by digest and owner, in a map. */
export function createMemoryBlobs(blobs: MemoryBlobRows, assertOpen: () => void): Blobs {
  return {
    async put(bytes, type, { stream, principal }, given) {
      assertOpen()
      const digest: Digest = given ?? `sha256:${createHash('sha256').update(bytes).digest('hex')}`
      putBlob(blobs, { digest, stream, principal, type, bytes: new Uint8Array(bytes) })
      return digest
    },

    async get(digest, { principal }) {
      assertOpen()
      const blob = blobs.values().find((blob) => blob.digest === digest && blob.principal === principal)
      return blob && new Uint8Array(blob.bytes)
    },

    async drop(stream) {
      assertOpen()
      for (const [key, blob] of blobs) if (blob.stream === stream) blobs.delete(key)
    },
  }
}

export function putBlob(blobs: MemoryBlobRows, blob: MemoryBlob): void {
  blobs.set(JSON.stringify([blob.digest, blob.stream, blob.principal]), blob)
}
