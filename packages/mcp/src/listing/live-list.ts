import { type Digest, digestOf, type Finding, type Json, type JsonObject, visibleText } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'

/** One tool as a running server lists it. */
export interface LiveTool {
  readonly name: string
  /** The whole tool, unchanged. */
  readonly definition: JsonObject
  readonly digest: Digest
}

/** All that a running server lists at one moment. */
export interface LiveList {
  readonly tools: ReadonlyMap<string, LiveTool>
  readonly findings: readonly Finding[]
}

/**
 * Tells the listed tools apart by name. What has no name of its own, or no canonical text, is left out with a finding.
 *
 * @param cut says why the list is not whole, where it isn't.
 */
export function toLiveList(
  options: { readonly appId: string; readonly limits: { readonly tools: number } },
  listed: readonly Json[],
  cut?: string,
): LiveList {
  const { appId, limits } = options
  const tools = new Map<string, LiveTool>()
  const findings: Finding[] = []
  for (const definition of listed.slice(0, limits.tools)) {
    const tool = readTool(definition)
    if (tool === 'nameless') {
      findings.push(findingOf(appId, 'TOOL_INVALID', `${appId} lists a tool without a name.`))
    } else if (tool.digest === undefined) {
      const message = `The tool ${visibleText(tool.name)} of ${appId} holds a value that has no canonical text.`
      findings.push(findingOf(appId, 'TOOL_INVALID', message, tool.name))
    } else if (tools.has(tool.name)) {
      const message = `${appId} lists the tool ${visibleText(tool.name)} twice; the first one is kept.`
      findings.push(findingOf(appId, 'TOOL_NAME_MET', message, tool.name))
    } else {
      tools.set(tool.name, { name: tool.name, definition: tool.definition, digest: tool.digest })
    }
  }
  const why = listed.length > limits.tools ? `has more than ${limits.tools} tools` : cut
  if (why !== undefined) {
    findings.push(findingOf(appId, 'SERVER_PROTOCOL', `The tool list of ${appId} ${why} and was cut there.`))
  }
  return { tools, findings }
}

function readTool(
  definition: Json,
): 'nameless' | { readonly name: string; readonly definition: JsonObject; readonly digest: Digest | undefined } {
  if (!isJsonObject(definition) || typeof definition.name !== 'string' || definition.name === '') return 'nameless'
  return { name: definition.name, definition, digest: digestIfAny(definition) }
}

function digestIfAny(definition: JsonObject): Digest | undefined {
  try {
    return digestOf(definition)
  } catch {
    return undefined
  }
}

function findingOf(appId: string, code: Finding['code'], message: string, tool?: string): Finding {
  return {
    code,
    severity: 'warn',
    about: { appId, ...(tool !== undefined && { tool }) },
    phase: 'list',
    message,
    hint: 'Report it to the author of the server.',
    causes: [],
  }
}
