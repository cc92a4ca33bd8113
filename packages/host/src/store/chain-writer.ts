import { createHash, randomUUID } from 'node:crypto'
import type { Digest } from '@rollcall/plugin'
import type { StreamId } from './store.ts'

/** One event on its way into a store. */
export interface Unlinked {
  readonly stream: StreamId
  readonly sequence: number
  readonly at: number
  readonly text: string
}

/** Makes the links of one opened store, one after another. */
export interface ChainWriter {
  readonly id: string
  readonly link: number
  readonly digest: Digest | ''
  /** The next link. */
  next(event: Unlinked): { readonly link: number; readonly digest: Digest }
  /** Takes back the links of a change that failed. */
  rewind(to: { readonly link: number; readonly digest: Digest | '' }): void
}

/** Begins a chain of its own. */
export function createChainWriter(): ChainWriter {
  const id = randomUUID()
  let link = 0
  let digest: Digest | '' = ''
  return {
    id,
    get link() {
      return link
    },
    get digest() {
      return digest
    },
    next(event) {
      link += 1
      digest = linkDigest({ chain: id, link, previous: digest, ...event })
      return { link, digest }
    },
    rewind(to) {
      link = to.link
      digest = to.digest
    },
  }
}

/** The digest of a link: over all that it says and the digest of the one before. */
export function linkDigest(
  link: Unlinked & { readonly chain: string; readonly link: number; readonly previous: Digest | '' },
): Digest {
  const { chain, previous, stream, sequence, at, text } = link
  const said = JSON.stringify([chain, link.link, previous, stream, sequence, at, text])
  return `sha256:${createHash('sha256').update(said).digest('hex')}`
}
