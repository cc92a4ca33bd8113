import { definePlugin, defineTool, RegisterToolProvidersEvent, Type } from '@rollcall/plugin'

const hello = defineTool({
  name: 'hello',
  description: 'Greets somebody by name.',
  input: Type.Object({ name: Type.String({ description: 'Who is greeted.' }) }),
  // What a call may do, and what kind of data it returns: the gate decides by these two.
  effect: 'read',
  dataClass: 'publicContent',
  execute: ({ name }) => `Hello, ${name}!`,
})

export default definePlugin({
  setup({ on }) {
    on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: [hello] }))
  },
})
