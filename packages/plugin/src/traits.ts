/** What a call may do. Anything unknown counts as `write`. */
export const effects = ['read', 'idempotentWrite', 'write'] as const
export type Effect = (typeof effects)[number]

/** What kind of data a tool returns, from harmless to secret: the index is its rank. */
export const dataClasses = [
  'publicContent',
  'editorContent',
  'sourceCode',
  'internalConfiguration',
  'systemDiagnostics',
  'secretAdjacent',
] as const
export type DataClass = (typeof dataClasses)[number]
/** One of them, or a class of the operator's own. */
export type DataClassName = DataClass | (string & {})

/** Where the consumer's model runs, from near to far. */
export const trustZones = ['local', 'privateHosted', 'externalEu', 'externalGlobal'] as const
export type TrustZone = (typeof trustZones)[number]
/** One of them, or a zone of the operator's own. */
export type TrustZoneName = TrustZone | (string & {})

/** The operator's (or author's) words about a tool; the gate reads nothing else about it. */
export interface ToolTraits {
  readonly effect: Effect
  readonly dataClass: DataClassName
  readonly group: string
  readonly adminOnly: boolean
  /** `byArguments`: the author's `when(args)` decides; without arguments it counts as `always`. */
  readonly approval: 'always' | 'notNeeded' | 'byArguments'
  /** Where what it is told goes to; absent counts as the farthest. */
  readonly zone?: TrustZoneName
  /** `false`: a person's yes is good for one call and never for a while. */
  readonly grants?: false
}
