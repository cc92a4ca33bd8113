import type { Authenticate, Capability, ConnectMcp, Host } from '@rollcall/host'
import type { Digest, Logger, Principal, SecretRef } from '@rollcall/plugin'

/** Bounds on servers. Times in milliseconds, sizes in bytes. */
export interface McpLimits {
  /** Default 30,000: spawn, handshake and first list. */
  readonly connectTimeoutMs: number
  /** Default 60,000. */
  readonly callTimeoutMs: number
  /** Default 300,000: a call that reports progress may take this long. */
  readonly maxTotalTimeoutMs: number
  /** Default 10 MB. */
  readonly resultBytes: number
  /** Default 500. */
  readonly tools: number
  /** Default 50. */
  readonly pages: number
  /** Default 2 MB. */
  readonly listBytes: number
}

export interface McpOptions {
  /** Absolute path of `rollcall.lock.json`. */
  readonly lockFile: string
  /** Absolute path of the configuration's folder: relative paths start here, and paths inside it are pinned relative. */
  readonly folder: string
  readonly logger?: Logger
  readonly limits?: Partial<McpLimits>
  /** Beginnings of command lines that announced servers may start. */
  readonly allowedCommands?: readonly (readonly string[])[]
  /** Names of secrets and variables that announced servers may read. */
  readonly secretsAllow?: readonly string[]
  /** `background`: unlisted first-use servers are listed and pinned at once, four at a time. `off`: they are held `new`, and no server is started with the host. Default `background`. */
  readonly pinning?: 'background' | 'off'
  /** Pins nothing, writes no lock file. Default: true when `CI` is set. */
  readonly frozen?: boolean
  /** Records nothing at all: like `frozen`, and what is seen for the first time counts, but is not remembered. Default: false. */
  readonly readOnly?: boolean
  /**
   * Variables for `${VAR}`: `ROLLCALL_CONFIG_DIR` and `ROLLCALL_STATE_DIR` here, all others from `env`. To a server with an
   * isolation, `ROLLCALL_STATE_DIR` is a folder of each principal or session inside it.
   */
  readonly variables?: Readonly<Record<string, string>>
  /** Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /**
   * Reads a secret; an announced server may be told less than the operator's. Default: `{ env }` only, for announced
   * servers those in `secretsAllow`. Rejects with a `RollcallError` of code `SECRET_MISSING`.
   */
  readonly resolveSecret?: (ref: SecretRef, asker: { readonly announced: boolean }) => Promise<string>
  /**
   * What becomes of a tool that its server describes otherwise than was accepted. `hold` (default): a compatible change
   * keeps the accepted definition in service, anything else holds the tool. `refuse` holds all, `accept` takes all.
   */
  readonly onDrift?: 'hold' | 'refuse' | 'accept'
  /** Milliseconds after which an unused server is stopped; default 300,000. */
  readonly idleMs?: number
}

export type ServerState = 'idle' | 'starting' | 'ready' | 'failing' | 'stopped'

/** A declared server, for a person. */
export interface ServerStatus {
  readonly appId: string
  readonly transport: 'stdio' | 'http'
  readonly state: ServerState
  readonly pid?: number
  /** Last 8 KB of its error output, redacted and escaped. */
  readonly stderrTail?: string
  /** Lines on standard output that were no protocol messages. */
  readonly noiseLines: number
  readonly lastError?: { readonly code: string; readonly message: string }
  /** Milliseconds since the epoch before which it is not started again by itself or by a call. */
  readonly nextTryAt?: number
  /** Connections that are up. */
  readonly connections: number
  /** `2025-11-25` …, where it runs. */
  readonly protocolVersion?: string
  /** Log messages, updates and questions whose session could not be told. */
  readonly unattributed: number
}

export interface SyncOptions {
  /** What is found becomes what is accepted. */
  readonly accept: boolean
  /** Changes and pins nothing; starts only what was accepted, and without its secrets. */
  readonly check?: boolean
  /** Who asks, for the record. */
  readonly by: string
  readonly signal?: AbortSignal
}

/** What `sync` found at one server. */
export interface SyncReport {
  readonly appId: string
  readonly status: 'pinned' | 'unchanged' | 'accepted' | 'drift' | 'launchChanged' | 'failed'
  readonly tools: readonly {
    readonly name: string
    readonly change: 'added' | 'removed' | 'changed' | 'same'
    readonly digest?: Digest
    readonly description?: string
    readonly readOnlyHint?: boolean
    /** Old arguments are still valid, and no text looks suspicious. Only of `changed`. */
    readonly compatible?: boolean
    /** What is different, in lines for a person, hidden characters visible. Only of `changed`. */
    readonly diff?: readonly string[]
    readonly needs?: readonly Capability[]
  }[]
  /** What else than tools is not as it was accepted; absent where nothing is. */
  readonly others?: readonly {
    readonly kind: 'prompt' | 'instructions' | 'lists'
    readonly name: string
    readonly change: 'added' | 'removed' | 'changed'
    readonly diff?: readonly string[]
  }[]
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string }
}

export interface ServeOptions {
  /** Served as `/mcp/<name>`; `default` also as `/mcp`. */
  readonly profiles: readonly string[]
  readonly authenticate: Authenticate
  /** Names that a `Host` header may have; loopback names are always allowed. */
  readonly allowedHosts?: readonly string[]
  /** Serves this one provider only, under the names that its server gives. */
  readonly bare?: string
}

export interface ServeStdioOptions {
  readonly profile: string
  readonly principal: Principal
  readonly signal?: AbortSignal
  readonly bare?: string
  /** Default: standard input and output. */
  readonly input?: NodeJS.ReadableStream
  readonly output?: NodeJS.WritableStream
}

/** A mountable handler; it opens no port. */
export interface McpFace extends AsyncDisposable {
  fetch(request: Request, peer: { readonly remoteAddress: string }): Promise<Response>
}

/** Both directions of MCP over one pool. Disposing it stops every server and what they started. */
export interface Mcp extends AsyncDisposable {
  /** Hand it to `createHost({ connectMcp })`. */
  readonly connect: ConnectMcp
  serve(host: Host, options: ServeOptions): McpFace
  /**
   * Serves one client over standard input and output; resolves when the signal aborts, or the input has ended and what
   * it asked for is answered, which may take 5 s.
   */
  serveStdio(host: Host, options: ServeStdioOptions): Promise<void>
  /**
   * Connects to a declared server, lists it and compares it with the lock file; pins an unlisted one.
   * With `accept` what was found becomes what is accepted. Never rejects.
   */
  sync(appId: string, options: SyncOptions): Promise<SyncReport>
  /**
   * Takes a server that is not declared any more out of the lock file. What was accepted about it stays in the store, so
   * that another server under the same name is never taken for a first sight of this one.
   *
   * @returns whether it stood there; where nothing may be pinned the file stays as it is.
   * @throws {RollcallError} `LOCK_INVALID` when the lock file can not be read or written.
   */
  forget(appId: string): Promise<boolean>
  servers(): readonly ServerStatus[]
}
