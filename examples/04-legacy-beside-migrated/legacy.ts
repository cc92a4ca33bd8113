/** Before: a provider under a container alias, for which every host has to look. */
const provider = {
  getAppId: () => 'notes',
  getTools: () => [
    { id: 'notes.list', name: 'list', description: 'All notes.', inputSchema: { type: 'object' }, scope: 'read' },
  ],
  invokeTool: () => 'Buy milk, says the container alias.',
}

/** The container of an application in which the old plugin has registered it. */
export const services = { has: (alias: string) => alias === 'ToolProvider::notes', get: () => provider }
