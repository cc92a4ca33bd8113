/** The host's name of the tool by which a client goes on waiting for a call that waits for a person. */
export const awaitTool = 'rollcall__await'
