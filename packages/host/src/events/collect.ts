/** What became of one listener at one dispatch. */
export interface ListenerReport {
  readonly plugin: string
  readonly event: string
  /** Position by configuration. */
  readonly order: number
  readonly outcome: 'settled' | 'threw' | 'timedOut'
  readonly durationMs: number
  readonly announced: readonly string[]
}
