/** What a principal may do besides being asked for. There is no wildcard. */
export type Scope = 'tools:call' | 'runs:start' | 'runs:read' | 'runs:cancel' | 'runs:approve'

/** Who calls. Two principals of one person are still one person where two pairs of eyes are asked for. */
export interface Principal {
  readonly kind: 'user' | 'service'
  readonly id: string
  readonly person: string
  readonly admin: boolean
  readonly scopes: readonly Scope[]
}
