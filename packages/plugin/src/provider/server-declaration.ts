/** Where a secret comes from; the secret itself never stands in a file of ours. */
export type SecretRef =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly store: string }
  | { readonly command: readonly string[] }

/** How a declared server is treated once it runs. Times in milliseconds. */
export interface ServerKeeping {
  /**
   * Which revisions of the protocol it speaks: `session` those that begin with `initialize`, `stateless` 2026-07-28.
   * Default `auto`: asked once, when it is first listed, and pinned in the lock file.
   */
  readonly protocol?: 'auto' | 'session' | 'stateless'
  /** Started with the host, and never stopped for being idle. */
  readonly keepAlive?: boolean
  /** Unused for this long, it is stopped; default 300,000. */
  readonly idleMs?: number
  /** Spawn, handshake and first list; default 30,000. */
  readonly connectTimeoutMs?: number
  /** One call; default 60,000. */
  readonly callTimeoutMs?: number
}

/** How an MCP server is reached. `${VAR}` and `${VAR:-default}` are expanded once; `$${` gives a literal `${`. */
export type ServerDeclaration = ServerKeeping &
  (
    | {
        readonly command: string
        readonly args?: readonly string[]
        /** Relative to the configuration's folder. */
        readonly cwd?: string
        readonly env?: Readonly<Record<string, string | SecretRef>>
      }
    | {
        readonly url: string
        /** Default `http`: streamable HTTP, and SSE where the endpoint refuses it as the specification describes. */
        readonly transport?: 'http' | 'sse'
        readonly auth?: { readonly bearer: SecretRef }
        readonly headers?: Readonly<Record<string, string | SecretRef>>
      }
  )
