import { isRollcallError, RollcallError, type ToolProvider, Type } from '@rollcall/plugin'
import { quoted } from '../config/fault.ts'
import { commandKeys, keepingKeys, operatorKeys, urlKeys } from '../config/provider-schema.ts'
import { schemaFaults } from '../config/schema-faults.ts'
import { serverFault } from '../config/url-faults.ts'
import { describeThrown } from '../isolation/describe-thrown.ts'
import { appIdRule, parseAppId } from '../plugins/app-id.ts'
import type { LoadedPlugin } from '../plugins/loaded-plugin.ts'

/** An announced provider as the host keeps it. */
export type CheckedProvider = ToolProvider & { readonly appId: string }

/**
 * Checks what a listener announced and copies it: what its author does to the object afterwards changes nothing. The
 * tools themselves are checked when they are listed.
 *
 * @returns the provider with its appId in lower case; without one, the first of the plugin.
 * @throws {RollcallError} `PROVIDER_INVALID`.
 */
export function checkProvider(announced: unknown, plugin: LoadedPlugin): CheckedProvider {
  try {
    return Object.freeze(read(announced, plugin))
  } catch (error) {
    if (isRollcallError(error, 'PROVIDER_INVALID')) throw error
    // A getter of the author threw, or a declaration holds what is no data.
    throw invalid(plugin, `it can't be read: ${describeThrown(error).message}`, error)
  }
}

function read(announced: unknown, plugin: LoadedPlugin): CheckedProvider {
  if (typeof announced !== 'object' || announced === null) throw invalid(plugin, `${shown(announced)} is no provider`)
  const { kind, appId: given, tools, server, suggests } = announced as Readonly<Record<string, unknown>>
  const appId = given === undefined ? plugin.appIds[0] : parseAppId(given)
  if (appId === undefined) throw invalid(plugin, `${shown(given)} is no appId: ${appIdRule}`)
  if (kind === 'builtin') return { kind, appId, tools: copyTools(tools, plugin) }
  if (kind === 'mcp') return { kind, appId, ...copyDeclaration({ server, suggests }, plugin) }
  throw invalid(plugin, `its kind is ${shown(kind)}, neither "builtin" nor "mcp"`)
}

type Tools = Extract<ToolProvider, { readonly kind: 'builtin' }>['tools']
type Declaration = Pick<Extract<ToolProvider, { readonly kind: 'mcp' }>, 'server' | 'suggests'>

function copyTools(tools: unknown, plugin: LoadedPlugin): Tools {
  // What the elements are, and what the function gives, is checked when the tools are listed.
  if (typeof tools === 'function') return tools as Tools
  if (Array.isArray(tools)) return Object.freeze([...tools]) as Tools
  throw invalid(plugin, `its tools are ${shown(tools)}, neither a list nor a function`)
}

function copyDeclaration(
  { server, suggests }: { server: unknown; suggests: unknown },
  plugin: LoadedPlugin,
): Declaration {
  const copy: unknown = structuredClone(suggests === undefined ? { server } : { server, suggests })
  const faults = schemaFaults(declaration, copy)
  if (faults.length === 0) return copy as Declaration
  throw invalid(plugin, faults.map(({ path, message }) => `${path} ${message}`).join('; '))
}

const closed = { additionalProperties: false } as const
const { pin: _pin, ...suggestedKeys } = operatorKeys

const declaration = Type.Object(
  {
    server: Type.Object(
      {
        ...commandKeys,
        command: Type.Optional(commandKeys.command),
        ...keepingKeys,
        ...urlKeys,
        url: Type.Optional(urlKeys.url),
      },
      { ...closed, check: announcedServerFault },
    ),
    suggests: Type.Optional(Type.Object(suggestedKeys, closed)),
  },
  closed,
)

function announcedServerFault(server: unknown): string | undefined {
  const isLaunched = typeof server === 'object' && server !== null && ('command' in server || 'url' in server)
  return isLaunched ? serverFault(server) : 'has neither "command" nor "url"'
}

function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`
}

function invalid(plugin: LoadedPlugin, what: string, cause?: unknown): RollcallError {
  return new RollcallError('PROVIDER_INVALID', `${plugin.name} announced a provider that is refused: ${what}.`, {
    hint: 'Announce { kind: "builtin", tools: [ … ] }, or { kind: "mcp", server: { command, args } } with a url in place of the command for a remote one.',
    cause,
  })
}
