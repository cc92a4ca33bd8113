import type { McpPeer } from '../peer/mcp-peer.ts'

/**
 * Who still works with which connected server. One that is left, because a request found that it serves no new ones, is
 * disposed of when the requests that it has already taken are over.
 */
export class PeerUses {
  readonly #uses = new Map<McpPeer, number>()
  readonly #left = new Set<McpPeer>()
  readonly #dispose: (peer: McpPeer) => void

  constructor(dispose: (peer: McpPeer) => void) {
    this.#dispose = dispose
  }

  begin(peer: McpPeer): void {
    this.#uses.set(peer, (this.#uses.get(peer) ?? 0) + 1)
  }

  end(peer: McpPeer): void {
    const left = (this.#uses.get(peer) ?? 1) - 1
    if (left > 0) {
      this.#uses.set(peer, left)
      return
    }
    this.#uses.delete(peer)
    if (this.#left.delete(peer)) this.#dispose(peer)
  }

  /** Nobody begins to work with it any more. */
  leave(peer: McpPeer): void {
    if (this.#uses.has(peer)) this.#left.add(peer)
    else this.#dispose(peer)
  }

  isLeft(peer: McpPeer): boolean {
    return this.#left.has(peer)
  }

  /** Whoever still works with one that was left has to do without. */
  disposeLeft(): void {
    for (const peer of this.#left) this.#dispose(peer)
    this.#left.clear()
  }
}
