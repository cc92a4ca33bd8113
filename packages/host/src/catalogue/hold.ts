/** Why a listed tool can't be used now. Each names its release. */
export interface Hold {
  readonly by:
    | 'switch'
    | 'default'
    | 'drift'
    | 'new'
    | 'launchChanged'
    | 'noPreset'
    | 'suspicious'
    | 'needsSecret'
    | 'needsLogin'
    | 'noConnector'
  /** The command that releases it. */
  readonly hint: string
}
