import type { McpClaim, ProviderCall } from '@rollcall/host'
import { RollcallError } from '@rollcall/plugin'
import type { ServerState, ServerStatus } from '../mcp.ts'
import { Connection, type Starter } from './connection.ts'

const maxInstances = 16
const order: readonly ServerState[] = ['ready', 'starting', 'failing', 'idle', 'stopped']

/** What tells two connections of one server apart. */
export interface PoolKey {
  /** The client capabilities that the server was told of. */
  readonly capabilityClass: string
  /** Whose credentials it bears. */
  readonly subject: string
  /** Whose state it holds. */
  readonly isolation: string
}

/** The key under which a call shares a connection with others. */
export function poolKeyOf(claim: McpClaim, call: Pick<ProviderCall, 'principal' | 'client'>): PoolKey {
  const isolation = claim.words.isolation ?? 'shared'
  const session = call.client?.session ?? `principal ${call.principal.id}`
  const key = { shared: 'shared', principal: call.principal.id, session }[isolation]
  return { capabilityClass: '{}', subject: 'operator', isolation: key }
}

/** The connections of one server. */
export class ConnectionPool {
  readonly #name: string
  readonly #starter: Starter
  readonly #idleMs: number
  readonly #connections = new Map<string, Connection>()
  readonly #retiring = new Set<Connection>()

  constructor(name: string, starter: Starter, options: { readonly idleMs: number }) {
    this.#name = name
    this.#starter = starter
    this.#idleMs = options.idleMs
  }

  /** @throws {RollcallError} `BUSY` when the server has as many connections in use as it may have. */
  get(key: PoolKey): Connection {
    const id = JSON.stringify([key.capabilityClass, key.subject, key.isolation])
    const known = this.#connections.get(id)
    if (known !== undefined) return known
    if (this.#connections.size >= maxInstances) this.#makeRoom()
    const connection = new Connection(this.#name, this.#starter, { idleMs: this.#idleMs })
    this.#connections.set(id, connection)
    return connection
  }

  /** What a person is told of all connections together: the liveliest one speaks. */
  status(): Pick<ServerStatus, 'state' | 'pid' | 'stderrTail' | 'noiseLines' | 'lastError'> {
    const all = [...this.#connections.values()]
    const first = all.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state))[0]
    if (first === undefined) return { state: 'idle', noiseLines: 0 }
    const { pid, stderrTail, noiseLines } = first.vitals()
    const error = first.lastError
    return {
      state: first.state,
      noiseLines,
      ...(pid !== undefined && { pid }),
      ...(stderrTail !== '' && { stderrTail }),
      ...(error !== undefined && { lastError: { code: error.code, message: error.message } }),
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#retiring, ...this.#connections.values()].map((connection) => connection.stop()))
  }

  /** Calls in flight finish; the next ones start the server anew. */
  renew(): void {
    for (const id of [...this.#connections.keys()]) this.#retire(id)
  }

  #makeRoom(): void {
    const unused = [...this.#connections.keys()].find((id) => this.#connections.get(id)?.isUsed === false)
    if (unused === undefined) {
      throw new RollcallError('BUSY', `${this.#name} runs ${maxInstances} times already; nothing was sent.`, {
        hint: 'Repeat it later.',
      })
    }
    this.#retire(unused)
  }

  #retire(id: string): void {
    const connection = this.#connections.get(id)
    if (connection === undefined || !this.#connections.delete(id)) return
    this.#retiring.add(connection)
    void connection.retire().finally(() => this.#retiring.delete(connection))
  }
}
