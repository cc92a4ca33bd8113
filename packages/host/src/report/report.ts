import type { Finding } from '@rollcall/plugin'
import type { ProviderReport } from '../catalogue/catalogue.ts'
import type { ListenerReport } from '../events/collect.ts'

/** What answered the roll, what didn't, and why. */
export interface Report {
  readonly generation: number
  readonly providers: readonly ProviderReport[]
  readonly findings: readonly Finding[]
  readonly listeners: readonly ListenerReport[]
}
