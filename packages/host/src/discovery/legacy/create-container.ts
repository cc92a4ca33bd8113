import { type LegacyServices, RollcallError } from '@rollcall/plugin'
import type { HostServices } from '../../host-options.ts'
import { normaliseAppId } from '../take-roll.ts'
import { once } from './once.ts'

/**
 * Makes a plugin's own container; what it doesn't hold is looked up in the host's.
 *
 * A function is a factory: it runs once, at the first `get`. One that threw throws the same at every `get`.
 * `get` of an alias that neither container holds throws a `RollcallError` of code `SERVICE_NOT_FOUND`.
 */
export function createContainer(parent: HostServices | undefined): LegacyServices {
  const services = new Map<string, () => unknown>()

  return {
    register(alias, value) {
      services.set(spellingOf(alias), typeof value === 'function' ? once(() => value()) : () => value)
    },
    has(alias) {
      return services.has(spellingOf(alias)) || parent?.has(alias) === true
    },
    get(alias) {
      const own = services.get(spellingOf(alias))
      if (own !== undefined) return own()
      if (parent?.has(alias) === true) return parent.get(alias)
      throw new RollcallError('SERVICE_NOT_FOUND', `Nothing is registered under the container alias "${alias}".`, {
        hint: `Ask has("${alias}") first, or give it to the host with createHost({ services }).`,
      })
    },
  }
}

/** The container alias under which a plugin puts the provider of an appId. */
export function aliasOf(appId: string): string {
  return `${prefix}${appId}`
}

const prefix = 'ToolProvider::'

// AppIds are compared in one spelling, so their aliases are too.
function spellingOf(alias: string): string {
  return alias.startsWith(prefix) ? aliasOf(normaliseAppId(alias.slice(prefix.length))) : alias
}
