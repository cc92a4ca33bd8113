import type { McpClaim } from '@rollcall/host'
import { canonicalJson, isRollcallError, RollcallError, visibleText } from '@rollcall/plugin'
import type { McpSettings } from '../declaration/mcp-settings.ts'
import type { LiveList } from '../listing/live-list.ts'
import { acceptedFacts } from '../lock/accepted-facts.ts'
import { type JudgedTool, judgePrompts, judgeTools } from '../lock/judge-tools.ts'
import type { LockEntry } from '../lock/lock-entry.ts'
import type { ServerFacts, ServerRecord } from '../lock/server-record.ts'
import { toLockEntry } from '../lock/to-lock-entry.ts'
import { bareClass } from '../pool/capability-class.ts'
import type { Running } from '../pool/connection.ts'
import { acceptedList } from './accepted-list.ts'

/** How everything that one server offers stands. */
export interface Judgement {
  readonly tools: readonly JudgedTool[]
  readonly prompts: readonly JudgedTool[]
}

/** A server that runs, and what it was told that its client can do. */
export interface RunningAs extends Pick<Running, 'peer' | 'live'> {
  readonly capabilityClass: string
}

/** Keeps one server from being started, and its tools from being called, as anything else than what was accepted. */
export class DriftCheck {
  readonly #claim: McpClaim
  readonly #record: ServerRecord
  readonly #mcp: McpSettings
  readonly #onJudged: (judgement: Judgement | undefined) => void
  readonly #onAccepted: () => void
  /** What the server listed last, by the class of client to whom. */
  #lives: ReadonlyMap<string, LiveList> = new Map()
  readonly #everListed = { tool: new Map<string, Set<string>>(), prompt: new Map<string, Set<string>>() }
  /** What was free when a list was compared. */
  #cleared = new WeakMap<LiveList, ReadonlySet<string>>()
  #round = 0

  constructor(
    claim: McpClaim,
    parts: {
      readonly record: ServerRecord
      readonly mcp: McpSettings
      /** Told how all stands whenever it was compared. */
      readonly onJudged: (judgement: Judgement | undefined) => void
      /** What the server lists now was accepted, because the operator accepts everything. */
      readonly onAccepted: () => void
    },
  ) {
    this.#claim = claim
    this.#record = parts.record
    this.#mcp = parts.mcp
    this.#onJudged = parts.onJudged
    this.#onAccepted = parts.onAccepted
  }

  /** What the server listed last to whom can do nothing. */
  get live(): LiveList | undefined {
    return this.#lives.get(bareClass)
  }

  /** Takes a new list of the server, and none of before counts: somebody looked at it. */
  restart(live: LiveList): void {
    this.#lives = new Map()
    for (const names of Object.values(this.#everListed)) names.clear()
    this.#see({ live, capabilityClass: bareClass })
    this.renew()
  }

  /** What was accepted may have changed: everything is compared again before it is used. */
  renew(): void {
    this.#cleared = new WeakMap()
    this.#round += 1
  }

  /** Compares what is pinned, what was accepted and what was listed last; undefined for a server that is not pinned. */
  judge({ entry, acceptance }: ServerFacts): Judgement | undefined {
    if (entry === undefined) return undefined
    const isStrict = this.#mcp.onDrift === 'refuse'
    const evidence = { entry, acceptance, lives: this.#lives, everListed: this.#everListed, isStrict }
    return { tools: judgeTools(evidence), prompts: judgePrompts(evidence) }
  }

  /**
   * Is the server launched as was accepted? Asked right before every start.
   *
   * @throws {RollcallError} `LAUNCH_CHANGED`, or `DEFINITION_CHANGED` when the lock file can not be read.
   */
  async assertLaunch(): Promise<ServerFacts> {
    const facts = await this.#load()
    if (facts.launchChanged) throw launchChanged(this.#claim.appId)
    return facts
  }

  /**
   * Is the tool or prompt free, as far as can be said without starting the server?
   *
   * @throws {RollcallError} `LAUNCH_CHANGED` or `DEFINITION_CHANGED`.
   */
  async assertOffered(kind: 'tool' | 'prompt', name: string): Promise<void> {
    for (const live of this.#lives.values()) if (this.#isCleared(kind, name, live)) return
    this.#assertFree(kind, name, this.judge(await this.assertLaunch()))
  }

  /**
   * Right before something is sent: is what runs now what was accepted? What was compared once need not be compared
   * again while the same process lists the same.
   *
   * @throws {RollcallError} `LAUNCH_CHANGED` or `DEFINITION_CHANGED`.
   */
  async assertRunning(kind: 'tool' | 'prompt', name: string, running: RunningAs): Promise<void> {
    if (this.#isCleared(kind, name, running.live)) return
    const round = this.#round
    const facts = await this.#load()
    this.#see(running)
    const before = this.judge(facts)
    const isTaken = await this.#take(facts, before, running)
    const judgement = isTaken ? this.judge(await this.#load()) : before
    this.#onJudged(judgement)
    if (facts.launchChanged) throw launchChanged(this.#claim.appId)
    // Who calls it now knows it only as it was.
    if (isTaken) this.#assertFree(kind, name, before)
    this.#assertFree(kind, name, judgement)
    const usable = usableIn(running.live, judgement)
    if (!usable.has(keyOf(kind, name))) throw notListed(this.#claim.appId, kind, name)
    if (round === this.#round) this.#cleared.set(running.live, usable)
  }

  /**
   * Compares what a running server lists, though nobody uses it now.
   *
   * @throws {RollcallError} `DEFINITION_CHANGED` when the lock file can not be read.
   */
  async compare(running: RunningAs): Promise<void> {
    const facts = await this.#load()
    this.#see(running)
    const judgement = this.judge(facts)
    const isTaken = await this.#take(facts, judgement, running)
    this.#onJudged(isTaken ? this.judge(await this.#load()) : judgement)
  }

  #see({ live, capabilityClass }: Pick<RunningAs, 'live' | 'capabilityClass'>): void {
    const { tool, prompt } = this.#everListed
    remember(tool, capabilityClass, live.tools.keys())
    remember(
      prompt,
      capabilityClass,
      live.prompts.map(({ name }) => String(name)),
    )
    // Who accepts everything goes by what was listed last.
    const others = this.#accepts ? [] : this.#lives
    this.#lives = new Map([...others, [capabilityClass, live]])
  }

  get #accepts(): boolean {
    return this.#mcp.onDrift === 'accept' && !this.#mcp.frozen
  }

  /** Pins what the server lists now, where everything is accepted; an edited lock file is not the server's doing. */
  async #take(facts: ServerFacts, judgement: Judgement | undefined, running: RunningAs): Promise<boolean> {
    const { entry, launch, launchChanged } = facts
    if (!this.#accepts || launchChanged || entry === undefined || judgement === undefined) return false
    if ([...judgement.tools, ...judgement.prompts].some(({ fault }) => fault === 'edited')) return false
    const { peer, live, capabilityClass } = running
    const next = toLockEntry(this.#claim, peer, acceptedList(entry, live, capabilityClass), launch)
    if (offeredText(next) === offeredText(entry)) return false
    await this.#record.pin(next, { by: 'onDrift: accept', reviewed: false, replace: true })
    const { appId } = this.#claim
    this.#mcp.logger.info('changed server accepted', { provider: appId, tools: next.tools.length })
    this.renew()
    this.#onAccepted()
    return true
  }

  async #load(): Promise<ServerFacts> {
    try {
      return await this.#record.load()
    } catch (cause) {
      if (!isRollcallError(cause, 'LOCK_INVALID')) throw cause
      const message = `${this.#claim.appId} can not be compared: ${cause.message}`
      throw new RollcallError('DEFINITION_CHANGED', message, { hint: cause.hint, cause })
    }
  }

  #isCleared(kind: 'tool' | 'prompt', name: string, live: LiveList): boolean {
    return this.#cleared.get(live)?.has(keyOf(kind, name)) === true
  }

  #assertFree(kind: 'tool' | 'prompt', name: string, judgement: Judgement | undefined): void {
    const all = kind === 'tool' ? judgement?.tools : judgement?.prompts
    const judged = all?.find((each) => each.name === name)
    if (judged !== undefined && judged.fault === undefined) return
    const { appId } = this.#claim
    const message = `The ${kind} ${visibleText(name)} of ${appId} is not what was accepted; nothing was sent.`
    throw new RollcallError('DEFINITION_CHANGED', message, {
      hint: `Look at it, then run "rollcall sync --accept ${appId}".`,
    })
  }
}

function remember(listed: Map<string, Set<string>>, capabilityClass: string, names: Iterable<string>): void {
  const known = listed.get(capabilityClass) ?? new Set()
  listed.set(capabilityClass, known)
  for (const name of names) known.add(name)
}

function keyOf(kind: 'tool' | 'prompt', name: string): string {
  return `${kind} ${name}`
}

/** What is free and listed here. */
function usableIn({ tools, prompts }: LiveList, judgement: Judgement | undefined): ReadonlySet<string> {
  const listed = new Set([
    ...[...tools.keys()].map((name) => keyOf('tool', name)),
    ...prompts.map(({ name }) => keyOf('prompt', String(name))),
  ])
  const free = (kind: 'tool' | 'prompt', all: readonly JudgedTool[] = []) =>
    all.filter(({ fault }) => fault === undefined).map(({ name }) => keyOf(kind, name))
  const allFree = [...free('tool', judgement?.tools), ...free('prompt', judgement?.prompts)]
  return new Set(allFree.filter((key) => listed.has(key)))
}

/** What callers get to see of an entry, as one text. */
function offeredText(entry: LockEntry): string {
  const { tools, prompts } = acceptedFacts(entry)
  return canonicalJson({ tools, prompts, instructions: entry.instructions ?? '' })
}

function notListed(appId: string, kind: string, name: string): RollcallError {
  const message = `${appId} does not list the ${kind} ${visibleText(name)} to a client like this one; nothing was sent.`
  return new RollcallError('DEFINITION_CHANGED', message, { hint: `See what it lists: rollcall sync ${appId}` })
}

function launchChanged(appId: string): RollcallError {
  const message = `${appId} would be launched otherwise than was accepted; it was not started.`
  return new RollcallError('LAUNCH_CHANGED', message, {
    hint: `Compare the declaration, then run "rollcall sync --accept ${appId}".`,
  })
}
