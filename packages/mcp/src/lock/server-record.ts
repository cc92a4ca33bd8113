import type { McpClaim, Settings } from '@rollcall/host'
import type { Digest } from '@rollcall/plugin'
import type { McpSettings } from '../declaration/mcp-settings.ts'
import type { LiveList } from '../listing/live-list.ts'
import type { McpPeer } from '../peer/mcp-peer.ts'
import { type Acceptance, readAcceptance, writeAcceptance } from './acceptance.ts'
import { digestOfPinned } from './judge-tools.ts'
import { launchDigest } from './launch-digest.ts'
import type { LockEntry } from './lock-entry.ts'
import type { LockFile } from './lock-file.ts'

/** What is pinned and accepted about one server, beside how it would be launched now. */
export interface ServerFacts {
  readonly launch: Digest
  readonly entry: LockEntry | undefined
  readonly acceptance: Acceptance | undefined
  /** It would be launched otherwise than was pinned or accepted, or by another owner. */
  readonly launchChanged: boolean
}

/** One server's place in the lock file and in the store. */
export class ServerRecord {
  readonly #claim: McpClaim
  readonly #mcp: McpSettings
  readonly #store: Settings
  readonly #lockFile: LockFile

  constructor(
    claim: McpClaim,
    parts: { readonly mcp: McpSettings; readonly store: Settings; readonly lockFile: LockFile },
  ) {
    this.#claim = claim
    this.#mcp = parts.mcp
    this.#store = parts.store
    this.#lockFile = parts.lockFile
  }

  /** How the server would be launched now. */
  launch(): Digest {
    return launchDigest(this.#claim, this.#mcp)
  }

  /**
   * Reads both places. The first sight of an entry that nobody has judged is accepted and recorded.
   *
   * @throws {RollcallError} `LOCK_INVALID`.
   */
  async load(): Promise<ServerFacts> {
    const { appId } = this.#claim
    const launch = this.launch()
    const entry = (await this.#lockFile.read()).get(appId)
    const { acceptance, unreadable } = await readAcceptance(this.#store, appId)
    if (acceptance === undefined && !unreadable && entry?.launch === launch) {
      const first = {
        launch,
        owner: this.#owner,
        tools: pinnedDigests(entry),
        by: 'lock file',
        reviewed: false,
        at: Date.now(),
      }
      if (await writeAcceptance(this.#store, appId, first, 0)) {
        return { launch, entry, acceptance: first, launchChanged: false }
      }
      return this.load()
    }
    const isAccepted = acceptance === undefined || (acceptance.launch === launch && acceptance.owner === this.#owner)
    const isPinned = entry === undefined || entry.launch === launch
    const launchChanged = unreadable || !isAccepted || !isPinned
    return { launch, entry, acceptance, launchChanged }
  }

  /**
   * Pins what a running server lists. Without `reviewed`, what somebody has accepted before stands, also what was
   * accepted a moment ago in another process; with it a person has looked at every definition, and that counts from now
   * on. Whoever is interrupted in between leaves a lock file that was not accepted, and the tools are held.
   *
   * @throws {RollcallError} `LOCK_INVALID` when the lock file can not be read or written.
   */
  async pin(
    peer: McpPeer,
    live: LiveList,
    options: { readonly by: string; readonly reviewed: boolean; readonly launch: Digest },
  ): Promise<void> {
    const { appId } = this.#claim
    const { launch, by, reviewed } = options
    await this.#lockFile.put(appId, entryOf(peer, live, launch))
    const tools = Object.fromEntries([...live.tools.values()].map(({ name, digest }) => [name, digest]))
    const acceptance = { launch, owner: this.#owner, tools, by, reviewed, at: Date.now() }
    await writeAcceptance(this.#store, appId, acceptance, reviewed ? undefined : 0)
  }

  get #owner(): string {
    return this.#claim.source === 'configured' ? 'configuration' : this.#claim.plugin
  }
}

function entryOf(peer: McpPeer, live: LiveList, launch: Digest): LockEntry {
  const { name, version, instructions } = peer.server
  return {
    launch,
    serverInfo: { name, version },
    protocolVersion: peer.protocolVersion,
    capabilityClasses: ['{}'],
    ...(instructions !== undefined && { instructions }),
    tools: [...live.tools.values()].map((tool) => ({ ...tool, needs: [] })),
  }
}

/** A tool whose written digest isn't its own was edited by hand and is not accepted by being seen. */
function pinnedDigests(entry: LockEntry): Readonly<Record<string, Digest>> {
  const sound = entry.tools.filter((tool) => digestOfPinned(tool) === tool.digest)
  return Object.fromEntries(sound.map(({ name, digest }) => [name, digest]))
}
