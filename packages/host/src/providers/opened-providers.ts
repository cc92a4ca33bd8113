import { canonicalJson, type Logger, type OperatorWords, RollcallError } from '@rollcall/plugin'
import { presetOf } from '../config/presets.ts'
import type { Claim } from '../discovery/claim.ts'
import type { LegacyRoom } from '../discovery/legacy-room.ts'
import { describeThrown } from '../isolation/describe-thrown.ts'
import type { OutboundFetch } from '../outbound/outbound-fetch.ts'
import type { Settings } from '../store/store.ts'
import { openBuiltin } from './open-builtin.ts'
import type { ConnectMcp, OpenProvider } from './provider.ts'
import { unopened } from './unopened.ts'

/** A winner of the roll with the provider that was opened for it. */
export interface Opened {
  readonly claim: Claim
  readonly open: OpenProvider
}

export interface OpenedProvidersOptions {
  readonly connectMcp: ConnectMcp | undefined
  readonly legacy: LegacyRoom | undefined
  readonly settings: Settings
  readonly logger: Logger
  readonly signal: AbortSignal
  readonly fetch: OutboundFetch
  /** A provider's list or holds changed. */
  onChanged(open: OpenProvider): void
  /** Resolves when the calls that run now at this appId have ended. */
  idle(appId: string): Promise<void>
}

/** What the operator says about each appId. */
export interface Words {
  readonly wordsFor: ReadonlyMap<string, OperatorWords>
  readonly pinFor: ReadonlyMap<string, 'first-use' | 'manual'>
}

/** The providers that are open now. A claim that comes again unchanged keeps its provider and its connection. */
export interface OpenedProviders extends AsyncDisposable {
  /**
   * Opens what is new. What is gone stays open until `retire`: calls still come through the catalogue of before.
   * One that can't be opened costs its own tools only, and is tried again the next time. Never rejects.
   */
  open(claims: readonly Claim[], words: Words): Promise<readonly Opened[]>
  /** Closes what is gone, each after its calls in flight: nothing new comes to it any more. */
  retire(): void
  /** The same for a dry run: keeps, opens functions of this process, connects to nothing, closes nothing. */
  preview(claims: readonly Claim[], words: Words): readonly Opened[]
}

interface Started extends Opened {
  readonly isBroken: boolean
  /** Ends it, and its notices. Once; logs what goes wrong. */
  end(): Promise<void>
}

/** Keeps providers open from one generation to the next. */
export function createOpenedProviders(options: OpenedProvidersOptions): OpenedProviders {
  let current = new Map<string, Started>()
  let gone: readonly Started[] = []
  const started = new Set<Started>()
  const ids = new WeakMap<object, number>()
  let lastId = 0

  // Functions are told apart by identity, servers by what is declared and said about them.
  const keyOf = (claim: Claim, words: Words): string => {
    if (claim.provider.kind === 'mcp') {
      const { appId, plugin, version, source, provider } = claim
      return canonicalJson({
        appId,
        plugin,
        version,
        source,
        server: provider.server,
        words: words.wordsFor.get(appId) ?? {},
      })
    }
    const id = ids.get(claim.provider) ?? ++lastId
    ids.set(claim.provider, id)
    return `${claim.appId}#${id}`
  }

  const openOne = async (claim: Claim, words: Words): Promise<OpenProvider> => {
    const { provider } = claim
    if (provider.kind === 'builtin') return openBuiltin({ ...claim, provider })
    if (provider.kind === 'legacy')
      return options.legacy?.open(claim) ?? unopened('The legacy folder is not part of this host.')
    if (options.connectMcp === undefined) return unopened()
    return options.connectMcp(
      {
        appId: claim.appId,
        plugin: claim.plugin,
        version: claim.version,
        source: claim.source,
        server: provider.server,
        words: withIsolation(words.wordsFor.get(claim.appId)),
        pin: words.pinFor.get(claim.appId) ?? (claim.source === 'configured' ? 'first-use' : 'manual'),
      },
      { settings: options.settings, logger: options.logger, signal: options.signal, fetch: options.fetch },
    )
  }

  const start = async (claim: Claim, words: Words): Promise<Started> => {
    let isBroken = false
    const open = await openOne(claim, words).catch((error: unknown) => {
      isBroken = true
      return broken(claim, error)
    })
    const undo = open.onChanged?.(() => options.onChanged(open))
    let ended: Promise<void> | undefined
    const end = async () => {
      started.delete(one)
      undo?.()
      try {
        await open[Symbol.asyncDispose]()
      } catch (error) {
        options.logger.warn('a provider did not close', { provider: claim.appId, ...describeThrown(error) })
      }
    }
    const one: Started = {
      claim,
      open,
      isBroken,
      end() {
        ended ??= end()
        return ended
      },
    }
    started.add(one)
    return one
  }

  return {
    async open(claims, words) {
      const next = new Map<string, Started>()
      for (const claim of claims) {
        const key = keyOf(claim, words)
        const kept = current.get(key)
        next.set(key, kept === undefined || kept.isBroken ? await start(claim, words) : { ...kept, claim })
      }
      const opens = new Set([...next.values()].map(({ open }) => open))
      gone = [...gone, ...[...current.values()].filter(({ open }) => !opens.has(open))]
      current = next
      return claims.flatMap((claim) => next.get(keyOf(claim, words)) ?? [])
    },
    retire() {
      for (const one of gone) void options.idle(one.claim.appId).then(() => one.end())
      gone = []
    },
    preview(claims, words) {
      return claims.map((claim) => {
        const kept = current.get(keyOf(claim, words))
        if (kept !== undefined) return { claim, open: kept.open }
        const { provider } = claim
        if (provider.kind === 'builtin') return { claim, open: openBuiltin({ ...claim, provider }) }
        if (provider.kind === 'legacy' && options.legacy !== undefined)
          return { claim, open: options.legacy.open(claim) }
        return { claim, open: unopened('A dry run connects to no server.') }
      })
    },
    async [Symbol.asyncDispose]() {
      current = new Map()
      await Promise.all([...started].map((one) => one.end()))
    },
  }
}

/** Stands for a provider that could not be opened: listing it says why. */
function broken({ appId }: Claim, error: unknown): OpenProvider {
  return {
    list: () => Promise.reject(error),
    call: async () => {
      const hint = 'Look what kept it from being opened: rollcall report'
      throw new RollcallError('SERVER_UNAVAILABLE', `${appId} could not be opened.`, { hint, cause: error })
    },
    async [Symbol.asyncDispose]() {},
  }
}

/** The operator's words with the isolation that their preset stands for: a connection has to know it. */
function withIsolation(words: OperatorWords = {}): OperatorWords {
  const isolation = words.isolation ?? presetOf(words.preset)?.isolation
  return isolation === undefined ? words : { ...words, isolation }
}
