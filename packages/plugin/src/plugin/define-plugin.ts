import type { TObject } from 'typebox'
import type { Plugin } from './plugin.ts'

const brand = Symbol.for('rollcall.plugin/1')

/**
 * Defines a plugin: marks it, so that a host recognises it whichever copy of this package made it.
 *
 * @example
 * export default definePlugin({
 *   setup({ on }) {
 *     on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: [] }))
 *   },
 * })
 */
export function definePlugin<S extends TObject | undefined = undefined>(plugin: Plugin<S>): Plugin<S> {
  return Object.defineProperty({ ...plugin }, brand, { value: true })
}

/** Tells whether a value was made by `definePlugin`, of this copy of the package or of another one. */
export function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true
}
