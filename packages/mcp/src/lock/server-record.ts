import type { McpClaim, Settings } from '@rollcall/host'
import type { Digest } from '@rollcall/plugin'
import type { McpSettings } from '../declaration/mcp-settings.ts'
import { type Acceptance, readAcceptance, writeAcceptance } from './acceptance.ts'
import { acceptedFacts } from './accepted-facts.ts'
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

/** In whose name something is pinned. */
export interface PinOptions {
  readonly by: string
  /** A person has looked at every definition. */
  readonly reviewed: boolean
  /** Also where something else was accepted before. */
  readonly replace: boolean
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
        ...acceptedFacts(entry),
        by: 'lock file',
        reviewed: false,
        at: Date.now(),
      }
      if (this.#mcp.readOnly || (await writeAcceptance(this.#store, appId, first, 0))) {
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
   * Pins what a running server lists. Without `replace`, what somebody has accepted before stands, also what was
   * accepted a moment ago in another process; with it this is accepted from now on. Whoever is interrupted in between
   * leaves a lock file that was not accepted, and the tools are held.
   *
   * @throws {RollcallError} `LOCK_INVALID` when the lock file can not be read or written.
   */
  async pin(entry: LockEntry, options: PinOptions): Promise<void> {
    const { appId } = this.#claim
    const { by, reviewed, replace } = options
    await this.#lockFile.put(appId, entry)
    const { launch } = entry
    const acceptance = { launch, owner: this.#owner, ...acceptedFacts(entry), by, reviewed, at: Date.now() }
    await writeAcceptance(this.#store, appId, acceptance, replace ? undefined : 0)
  }

  get #owner(): string {
    return this.#claim.source === 'configured' ? 'configuration' : this.#claim.plugin
  }
}
