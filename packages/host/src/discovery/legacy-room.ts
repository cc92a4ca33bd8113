import type { Finding, LegacyServices } from '@rollcall/plugin'
import type { HostServices, LegacyScanOptions } from '../host-options.ts'
import type { LoadedPlugin } from '../plugins/loaded-plugin.ts'
import type { Clock } from '../ports/clock.ts'
import type { OpenProvider } from '../providers/provider.ts'
import type { Claim } from './claim.ts'

/** The legacy folder as the host sees it: given to the host by `create-host.ts`, so that it can be taken away. */
export interface LegacyRoom {
  /** A plugin's own container; look-ups fall back to the host's. */
  createContainer(parent: HostServices | undefined): LegacyServices
  createScan(options: LegacyScanOptions): LegacyScan
  open(claim: Claim): OpenProvider
}

/** One scan with the memory of its winners. */
export interface LegacyScan {
  /**
   * Looks for providers of the plugins' appIds. Never rejects.
   * `announced`: appIds that need no scan; an alias found for one of them is reported superseded.
   */
  scan(input: {
    readonly plugins: readonly { readonly plugin: LoadedPlugin; readonly container: LegacyServices }[]
    readonly announced: ReadonlySet<string>
    readonly clock: Clock
    readonly limitMs: number
  }): Promise<{
    readonly claims: readonly Claim[]
    readonly findings: readonly Finding[]
    readonly superseded: readonly Claim[]
  }>
}
