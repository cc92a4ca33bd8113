import { definePlugin, RegisterToolProvidersEvent } from '@rollcall/plugin'

export const args = ['node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'stdio']

// It suggests that anybody may read what this server returns; a suggestion opens nothing.
export default definePlugin({
  setup({ on }) {
    on(RegisterToolProvidersEvent, (event) =>
      event.announce({ kind: 'mcp', server: { command: 'node', args }, suggests: { preset: 'docs' } }),
    )
  },
})
