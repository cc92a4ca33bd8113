import type { Capability, Host, Who } from '@rollcall/host'
import { FeaturesChanged, type Logger, ToolsChanged } from '@rollcall/plugin'
import type { ListChange } from '../client-request.ts'
import type { Shelves } from './shelves.ts'

/** Tells consumers of changes in what they see. */
export interface ListWatch extends Disposable {
  /** @param can asked again at every change. @returns the undo. */
  add(who: Who, can: () => ReadonlySet<Capability>, listener: (change: ListChange) => void): () => void
}

const debounceMs = 100

type Prints = { readonly [kind in keyof ListChange]: string }

/** Compares what each consumer sees after the host's lists have changed, some time later and once for several changes. */
export function createListWatch(host: Host, shelves: Shelves, logger: Logger): ListWatch {
  const looks = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      for (const look of [...looks]) look()
    }, debounceMs).unref()
  }
  const offTools = host.on(ToolsChanged, soon)
  const offFeatures = host.on(FeaturesChanged, soon)

  function printsOf(who: Who, can: ReadonlySet<Capability>): Prints {
    const { prompts, templates, resources } = shelves.features(who)
    return {
      tools: shelves.tools(who, can).fingerprint,
      prompts: prompts.fingerprint,
      resources: templates.fingerprint + resources.fingerprint,
    }
  }

  return {
    add(who, can, listener) {
      let seen = printsOf(who, can())
      const look = () => {
        try {
          const before = seen
          seen = printsOf(who, can())
          const change = {
            tools: seen.tools !== before.tools,
            prompts: seen.prompts !== before.prompts,
            resources: seen.resources !== before.resources,
          }
          if (change.tools || change.prompts || change.resources) listener(change)
        } catch (error) {
          logger.warn('A client could not be told of changed lists.', { profile: who.profile, error })
        }
      }
      looks.add(look)
      return () => looks.delete(look)
    },
    [Symbol.dispose]() {
      offTools()
      offFeatures()
      clearTimeout(timer)
      looks.clear()
    },
  }
}
