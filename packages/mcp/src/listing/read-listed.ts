import { type Digest, digestOf, type Finding, type JsonObject, visibleText } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import type { PagedList, Pages } from './list-pages.ts'

/** One entry of a list, told apart from the others by its key. */
export interface Listed {
  readonly key: string
  /** The whole entry, unchanged. */
  readonly definition: JsonObject
  readonly digest: Digest
}

/**
 * Tells the entries of a list apart. Nothing else is checked, so that one bad entry costs itself only: one without a
 * key of its own, or without canonical text, is left out with a finding.
 */
export function readListed(
  appId: string,
  { what }: Pick<PagedList, 'what'>,
  keyField: 'name' | 'uri' | 'uriTemplate',
  { items, cut }: Pages,
): { readonly items: readonly Listed[]; readonly findings: readonly Finding[] } {
  const kept = new Map<string, Listed>()
  const findings: Finding[] = []
  const isTools = what === 'tools'
  const note = (code: 'TOOL_INVALID' | 'TOOL_NAME_MET', message: string, tool?: string) =>
    findings.push(findingOf(appId, isTools ? code : 'SERVER_PROTOCOL', message, isTools ? tool : undefined))
  for (const definition of items) {
    const key = isJsonObject(definition) ? definition[keyField] : undefined
    if (!isJsonObject(definition) || typeof key !== 'string' || key === '') {
      note('TOOL_INVALID', `One of the ${what} of ${appId} has no ${keyField}.`)
      continue
    }
    const digest = digestIfAny(definition)
    const who = `"${visibleText(key)}" among the ${what} of ${appId}`
    if (digest === undefined) note('TOOL_INVALID', `${who} holds a value that has no canonical text.`, key)
    else if (kept.has(key)) note('TOOL_NAME_MET', `${who} is listed twice; the first one is kept.`, key)
    else kept.set(key, { key, definition, digest })
  }
  if (cut !== undefined) {
    findings.push(findingOf(appId, 'SERVER_PROTOCOL', `The list of ${what} of ${appId} ${cut} and was cut there.`))
  }
  return { items: [...kept.values()], findings }
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
