import { isRollcallError, RollcallError, visibleText } from '@rollcall/plugin'
import type { LiveList } from '../listing/live-list.ts'
import { type JudgedTool, judgeTools } from '../lock/judge-tools.ts'
import type { ServerFacts, ServerRecord } from '../lock/server-record.ts'

/** Keeps one server from being started, and its tools from being called, as anything else than what was accepted. */
export class DriftCheck {
  readonly #appId: string
  readonly #record: ServerRecord
  #live: LiveList | undefined
  /** The tools that were free when this list was compared. */
  #cleared: { readonly live: LiveList; readonly tools: ReadonlySet<string> } | undefined
  #round = 0

  constructor(appId: string, record: ServerRecord) {
    this.#appId = appId
    this.#record = record
  }

  /** What the server listed last. */
  get live(): LiveList | undefined {
    return this.#live
  }

  /** Takes a new list of the server; every tool is compared again before its next call. */
  see(live: LiveList): void {
    this.#live = live
    this.renew()
  }

  /** What was accepted may have changed: every tool is compared again before its next call. */
  renew(): void {
    this.#cleared = undefined
    this.#round += 1
  }

  /** Compares what is pinned, what was accepted and what was listed last; undefined for a server that is not pinned. */
  judge({ entry, acceptance }: ServerFacts): readonly JudgedTool[] | undefined {
    return entry && judgeTools(entry, acceptance, this.#live)
  }

  /**
   * Is the server launched as was accepted? Asked right before every start.
   *
   * @throws {RollcallError} `LAUNCH_CHANGED`, or `DEFINITION_CHANGED` when the lock file can not be read.
   */
  async assertLaunch(): Promise<ServerFacts> {
    const facts = await this.#load()
    if (facts.launchChanged) throw launchChanged(this.#appId)
    return facts
  }

  /**
   * Is the tool free, as far as can be said without starting the server?
   *
   * @throws {RollcallError} `LAUNCH_CHANGED` or `DEFINITION_CHANGED`.
   */
  async assertOffered(tool: string): Promise<void> {
    if (!this.#isCleared(tool, this.#live)) this.#assertFree(tool, this.judge(await this.assertLaunch()))
  }

  /**
   * Right before a call is sent: is what runs now what was accepted? What was compared once need not be compared again
   * while the same process lists the same.
   *
   * @param onJudged is told how all tools stand whenever they were compared
   * @throws {RollcallError} `LAUNCH_CHANGED` or `DEFINITION_CHANGED`.
   */
  async assertRunning(
    tool: string,
    live: LiveList,
    onJudged: (tools: readonly JudgedTool[] | undefined) => void,
  ): Promise<void> {
    if (this.#isCleared(tool, live)) return
    this.see(live)
    const round = this.#round
    const facts = await this.#load()
    const tools = this.judge(facts)
    onJudged(tools)
    if (facts.launchChanged) throw launchChanged(this.#appId)
    this.#assertFree(tool, tools)
    if (round !== this.#round) return
    this.#cleared = { live, tools: new Set(tools?.filter(({ fault }) => fault === undefined).map(({ name }) => name)) }
  }

  async #load(): Promise<ServerFacts> {
    try {
      return await this.#record.load()
    } catch (cause) {
      if (!isRollcallError(cause, 'LOCK_INVALID')) throw cause
      throw new RollcallError('DEFINITION_CHANGED', `${this.#appId} can not be compared: ${cause.message}`, {
        hint: cause.hint,
        cause,
      })
    }
  }

  #isCleared(tool: string, live: LiveList | undefined): boolean {
    return live !== undefined && this.#cleared?.live === live && this.#cleared.tools.has(tool)
  }

  #assertFree(tool: string, tools: readonly JudgedTool[] | undefined): void {
    const judged = tools?.find(({ name }) => name === tool)
    if (judged !== undefined && judged.fault === undefined) return
    const message = `The tool ${visibleText(tool)} of ${this.#appId} is not what was accepted; nothing was sent.`
    throw new RollcallError('DEFINITION_CHANGED', message, {
      hint: `Look at it, then run "rollcall sync --accept ${this.#appId}".`,
    })
  }
}

function launchChanged(appId: string): RollcallError {
  const message = `${appId} would be launched otherwise than was accepted; it was not started.`
  return new RollcallError('LAUNCH_CHANGED', message, {
    hint: `Compare the declaration, then run "rollcall sync --accept ${appId}".`,
  })
}
