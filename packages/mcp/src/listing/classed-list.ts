import type { Capability } from '@rollcall/host'
import { type Finding, isRollcallError, type JsonObject, visibleText } from '@rollcall/plugin'
import { bareClass, capabilityClassOf, capabilityNames, lackingIn } from '../pool/capability-class.ts'
import type { LiveList, LiveTool } from './live-list.ts'

/** What a server lists for clients that can do different things, put together. */
export interface ClassedList {
  /** Each tool once, as it is listed for the least able client that sees it; all else as for a bare one. */
  readonly live: LiveList
  /** Without an entry: nothing. */
  readonly needs: ReadonlyMap<string, readonly Capability[]>
  /** The sets of capabilities under which it was listed. */
  readonly classes: readonly string[]
  /** Why not all of it is known. */
  readonly findings: readonly Finding[]
}

/** All that a server may ask of a client through us. */
const fullest: JsonObject = { elicitation: { form: {}, url: {} }, roots: { listChanged: true }, sampling: {} }
export const fullestClass = capabilityClassOf(fullest)

/** The class of a client that can do this one thing. */
export function classOf(need: Capability): string {
  if (need === 'elicitation') return capabilityClassOf({ elicitation: { form: {} } })
  return capabilityClassOf(need === 'elicitation.url' ? { elicitation: { url: {} } } : { [need]: {} })
}

/** Tells whether a client of this class can do all that such a tool may want. */
export function covers(capabilityClass: string, needs: readonly Capability[]): boolean {
  return lackingIn(capabilityClass, needs) === undefined
}

/**
 * Finds which tools a server lists only for clients that can do something. A single capability is tried only where a
 * tool needs one; a list that fails costs those tools, with a finding.
 *
 * @param listAs lists the server anew, as a client of this class.
 * @throws what `listAs` throws when its caller was cancelled.
 */
export async function listClasses(
  appId: string,
  bare: LiveList,
  listAs: (capabilityClass: string) => Promise<LiveList>,
  signal: AbortSignal,
): Promise<ClassedList> {
  const findings: Finding[] = []
  const lists = new Map([[bareClass, bare]])
  const list = async (capabilityClass: string) => {
    try {
      lists.set(capabilityClass, await listAs(capabilityClass))
    } catch (error) {
      if (signal.aborted || !isRollcallError(error)) throw error
      findings.push(notListed(appId, error.message, error.hint))
    }
    return lists.get(capabilityClass)
  }
  const more = [...((await list(fullestClass))?.tools.values() ?? [])].filter(({ name }) => !bare.tools.has(name))
  const found = new Map<string, Need>()
  for (const single of more.length > 0 ? capabilityNames : []) {
    const listed = await list(classOf(single))
    for (const { name } of more) {
      const tool = listed?.tools.get(name)
      if (tool !== undefined && !found.has(name)) found.set(name, { tool, needs: [single] })
    }
  }
  for (const tool of more) if (!found.has(tool.name)) found.set(tool.name, { tool, needs: capabilityNames })
  return {
    live: {
      ...bare,
      tools: new Map([...bare.tools, ...[...found].map(([name, { tool }]) => [name, tool] as const)]),
    },
    findings,
    needs: new Map([...found].map(([name, { needs }]) => [name, needs])),
    classes: [...lists.keys()],
  }
}

interface Need {
  readonly tool: LiveTool
  readonly needs: readonly Capability[]
}

function notListed(appId: string, why: string, hint: string): Finding {
  return {
    code: 'CAPABILITY_MISSING',
    severity: 'info',
    about: { appId },
    phase: 'list',
    message: `What ${appId} lists only for clients that can do more is not known: ${visibleText(why)}`,
    hint,
    causes: [],
  }
}
