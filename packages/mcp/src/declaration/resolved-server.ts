/** A declaration with its variables expanded and its secrets read: lives as long as one start, and is never kept. */
export type ResolvedServer = ResolvedStdio | ResolvedHttp

interface Resolved {
  /** The appId, for messages. */
  readonly name: string
  /** Values that must not appear in anything that is shown. */
  readonly secrets: readonly string[]
}

export interface ResolvedStdio extends Resolved {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>
}

export interface ResolvedHttp extends Resolved {
  readonly kind: 'http'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Whether its address may be a loopback or private one. */
  readonly allowPrivate: boolean
  /** Undefined: streamable HTTP, and the older transport where the endpoint does not know it. */
  readonly transport: 'http' | 'sse' | undefined
}
