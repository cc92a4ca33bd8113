import {
  definePlugin,
  defineTool,
  type Plugin,
  RegisterToolProvidersEvent,
  type ToolDefinition,
  type ToolProvider,
  Type,
} from '@rollcall/plugin'
import type { PluginEntry } from '../src/host-options.ts'

/** A reading tool that says what it got. */
export function readingTool(name: string, change: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    ...defineTool({
      name,
      description: `Reads ${name}.`,
      input: Type.Object({ text: Type.Optional(Type.String()) }),
      effect: 'read',
      dataClass: 'publicContent',
      execute: ({ text }) => `${name}: ${text ?? ''}`,
    }),
    ...change,
  }
}

/** A writing tool that is on from the start, counts its executions and asks before each. */
export function writingTool(name: string, log: string[], change: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    ...defineTool({
      name,
      description: `Writes ${name}.`,
      input: Type.Object({ text: Type.String() }),
      effect: 'write',
      dataClass: 'publicContent',
      preview: ({ text }) => [`would write ${text}`],
      execute: ({ text }) => {
        log.push(text)
        return `wrote ${text}`
      },
    }),
    ...change,
  }
}

/** A plugin that announces these providers. */
export function announcing(...providers: readonly ToolProvider[]): Plugin {
  return definePlugin({
    setup({ on }) {
      on(RegisterToolProvidersEvent, (event) => {
        for (const provider of providers) event.announce(provider)
      })
    },
  })
}

/** The entry of a plugin with builtin tools. */
export function pluginWith(appId: string, ...tools: readonly ToolDefinition[]): PluginEntry {
  return { appId, plugin: announcing({ kind: 'builtin', tools }) }
}
