/** The tools that consumers may see are others now. A fact: notified, never awaited. */
export class ToolsChanged {
  static readonly type = 'toolsChanged'
  readonly generation: number
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]

  constructor(fact: Omit<ToolsChanged, never>) {
    this.generation = fact.generation
    this.added = fact.added
    this.removed = fact.removed
    this.changed = fact.changed
  }
}
