import { defineTool, redactEnvironment, Type } from '@rollcall/plugin'

const output = Type.Object({ variables: Type.Record(Type.String(), Type.String()) })

/** The environment of this process, without its secrets. */
export const environment = defineTool({
  name: 'environment',
  title: 'Environment',
  description: 'The environment variables of this process; values that look like secrets are replaced.',
  effect: 'read',
  dataClass: 'systemDiagnostics',
  output,
  execute: () => ({ structured: { variables: redactEnvironment(process.env) } }),
})

/** The environment as it is: starts switched off, for admins only, and a person approves every call. */
export const environmentRaw = defineTool({
  name: 'environment_raw',
  title: 'Environment with secrets',
  description: 'The environment variables of this process as they are, secrets included.',
  effect: 'read',
  dataClass: 'secretAdjacent',
  adminOnly: true,
  startsOff: true,
  approval: 'always',
  output,
  execute: () => ({ structured: { variables: setVariables(process.env) } }),
})

function setVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
