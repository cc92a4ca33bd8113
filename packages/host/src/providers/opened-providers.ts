import { canonicalJson, type Logger, type OperatorWords } from '@rollcall/plugin'
import { presetOf } from '../config/presets.ts'
import type { Claim } from '../discovery/claim.ts'
import type { LegacyRoom } from '../discovery/legacy-room.ts'
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
  /** A provider's list or holds changed. */
  onChanged(open: OpenProvider): void
  /** Resolves when no call runs at this appId any more. */
  idle(appId: string): Promise<void>
}

/** What the operator says about each appId. */
export interface Words {
  readonly wordsFor: ReadonlyMap<string, OperatorWords>
  readonly pinFor: ReadonlyMap<string, 'first-use' | 'manual'>
}

/** The providers that are open now. A claim that comes again unchanged keeps its provider and its connection. */
export interface OpenedProviders extends AsyncDisposable {
  /** Opens what is new and closes what is gone, after its calls in flight. */
  open(claims: readonly Claim[], words: Words): Promise<readonly Opened[]>
  /** The same for a dry run: keeps, opens functions of this process, connects to nothing, closes nothing. */
  preview(claims: readonly Claim[], words: Words): readonly Opened[]
}

/** Keeps providers open from one generation to the next. */
export function createOpenedProviders(options: OpenedProvidersOptions): OpenedProviders {
  let current = new Map<string, Opened & { close(): Promise<void> }>()
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
      { settings: options.settings, logger: options.logger, signal: options.signal },
    )
  }

  const start = async (claim: Claim, words: Words) => {
    const open = await openOne(claim, words)
    const undo = open.onChanged?.(() => options.onChanged(open))
    return {
      claim,
      open,
      async close() {
        undo?.()
        await options.idle(claim.appId)
        await open[Symbol.asyncDispose]()
      },
    }
  }

  const close = (gone: Iterable<{ close(): Promise<void>; claim: Claim }>) => {
    for (const one of gone) {
      // Not awaited by the next generation: a long call of an old one must not hold it up.
      void one
        .close()
        .catch((error: unknown) =>
          options.logger.warn('a provider did not close', { provider: one.claim.appId, error }),
        )
    }
  }

  return {
    async open(claims, words) {
      const next = new Map<string, Opened & { close(): Promise<void> }>()
      const gone = new Map(current)
      for (const claim of claims) {
        const key = keyOf(claim, words)
        const kept = current.get(key)
        gone.delete(key)
        if (kept !== undefined) next.set(key, { ...kept, claim })
      }
      close(gone.values())
      for (const claim of claims) {
        const key = keyOf(claim, words)
        if (!next.has(key)) next.set(key, await start(claim, words))
      }
      current = next
      return claims.flatMap((claim) => next.get(keyOf(claim, words)) ?? [])
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
      const all = [...current.values()]
      current = new Map()
      await Promise.allSettled(all.map((one) => one.open[Symbol.asyncDispose]()))
    },
  }
}

/** The operator's words with the isolation that their preset stands for: a connection has to know it. */
function withIsolation(words: OperatorWords = {}): OperatorWords {
  const isolation = words.isolation ?? presetOf(words.preset)?.isolation
  return isolation === undefined ? words : { ...words, isolation }
}
