import type { Json } from '@rollcall/plugin'
import type { LoadedPlugin } from './loaded-plugin.ts'

/** An entry of `plugins` as it was asked for; nothing was looked up yet. */
export interface PluginRequest extends Pick<LoadedPlugin, 'order' | 'from' | 'onFailure'> {
  readonly options: Json | undefined
  readonly source:
    | { readonly kind: 'configured'; readonly specifier: string }
    | { readonly kind: 'code'; readonly appId: unknown; readonly plugin: unknown }
}

/** A plugin that may be loaded: found, its manifest accepted. None of its code has run. */
export interface PluginCandidate extends Omit<LoadedPlugin, 'module' | 'options'> {
  /** As given: not expanded, not checked. */
  readonly options: Json | undefined
  readonly source:
    | { readonly kind: 'configured'; readonly entry: string }
    | { readonly kind: 'code'; readonly plugin: unknown }
}
