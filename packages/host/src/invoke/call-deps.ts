import type { KeyObject } from 'node:crypto'
import type { Logger } from '@rollcall/plugin'
import type { ContentBook } from '../audit/content-book.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { GatePolicy } from '../gate/policy.ts'
import type { Profile } from '../gate/profile.ts'
import type { Guardrails } from '../guardrails/create-guardrails.ts'
import type { Clock } from '../ports/clock.ts'
import type { ResultBook } from '../results/result-book.ts'
import type { Store } from '../store/store.ts'
import type { GrantBook } from './grant-book.ts'
import type { KeptOutcomes } from './kept-outcomes.ts'
import type { ProviderSlots } from './provider-slots.ts'
import type { TaintBook } from './taint-book.ts'

/** What the tool runtime needs of the host. */
export interface CallDeps {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly profiles: ReadonlyMap<string, Profile>
  /** The tables and rules that the gate decides by. */
  readonly policy: GatePolicy
  readonly slots: ProviderSlots
  readonly taints: TaintBook
  readonly grants: GrantBook
  readonly kept: KeptOutcomes
  readonly results: ResultBook
  readonly guardrails: Guardrails
  /** Where the content of calls is kept for the audit. Absent: nowhere. */
  readonly content?: ContentBook
  /** The catalogue of now. */
  catalogue(): Catalogue
  /** Whether a name was in an earlier generation. */
  isGone(name: string): boolean
  /** The key of the store for digests of arguments and idempotency. */
  digestKey(): Promise<KeyObject>
  /** Notifies listeners of a fact; never throws. */
  notify(fact: object): void
  /** Aborted when the host closes. */
  readonly signal: AbortSignal
  /** The plugin whose listener is running this code, if one is. */
  currentListener(): string | undefined
}
