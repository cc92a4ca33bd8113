import { defineTool, type ToolDefinition } from '@rollcall/plugin'
import type { Report } from './report.ts'

/** The host's own tools, under the appId `rollcall`. */
export function hostTools(host: { report(): Report; isEmpty(): boolean }): readonly ToolDefinition[] {
  const status = defineTool({
    name: 'status',
    title: 'What answered the roll',
    description: 'Lists the providers of this host with their state, and every finding with its hint.',
    effect: 'read',
    dataClass: 'systemDiagnostics',
    adminOnly: true,
    execute: () => {
      const { generation, providers, findings } = host.report()
      return { structured: { generation, providers, findings } }
    },
  })
  const setup = defineTool({
    name: 'setup',
    title: 'How to add tools',
    description: 'Tells how to add the first plugin or MCP server to this host, which has none yet.',
    effect: 'read',
    dataClass: 'publicContent',
    execute: () =>
      [
        'This Rollcall has no plugins and no servers yet. On the machine where it runs:',
        '  rollcall new plugin hello              writes a plugin of your own',
        '  rollcall add <id> <package or url>     attaches an MCP server',
        '  rollcall presets                       shows what may be said about a server in one word',
        'Then start this server again.',
      ].join('\n'),
  })
  return host.isEmpty() ? [status, setup] : [status]
}
