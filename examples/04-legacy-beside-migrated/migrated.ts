import { definePlugin, defineTool, RegisterToolProvidersEvent } from '@rollcall/plugin'

const list = defineTool({
  name: 'list',
  description: 'All notes.',
  effect: 'read',
  dataClass: 'editorContent',
  execute: () => 'Buy milk, says the listener.',
})

/** After: the same tool, announced when the host asks. */
export const migrated = definePlugin({
  setup: ({ on }) => void on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: [list] })),
})

export const unmigrated = definePlugin({ setup() {} })
