import { type Finding, isRollcallError } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import type { McpPeer } from '../peer/mcp-peer.ts'
import { type ListOptions, listPages, type PagedList } from './list-pages.ts'
import type { LiveList } from './live-list.ts'
import { readListed } from './read-listed.ts'

/** What is listed besides tools is not worth a longer wait. */
const featuresMs = 5_000

/**
 * Reads all that a running server lists: its tools, and of prompts, resource templates and resources what it says that
 * it has. One bad entry costs itself; a bad list of anything but tools costs that list, with a finding.
 *
 * @throws {RollcallError} `SERVER_PROTOCOL` for an answer that is no list of tools, and what `request` throws.
 */
export async function listServer(peer: McpPeer, options: ListOptions): Promise<LiveList> {
  const { appId, limits } = options
  const { capabilities, instructions } = peer.server
  const end = performance.now() + options.timeoutMs
  const findings: Finding[] = []
  const tools: PagedList = { method: 'tools/list', field: 'tools', what: 'tools', most: limits.tools }
  const read = readListed(appId, tools, 'name', await listPages(peer, tools, options))
  findings.push(...read.findings)

  const feature = async (isOffered: boolean, list: PagedList, key: 'name' | 'uri' | 'uriTemplate') => {
    if (!isOffered) return []
    try {
      const timeoutMs = Math.min(featuresMs, Math.max(1, end - performance.now()))
      const { items, findings: found } = readListed(
        appId,
        list,
        key,
        await listPages(peer, list, { ...options, timeoutMs }),
      )
      findings.push(...found)
      return items.map(({ definition }) => definition)
    } catch (error) {
      findings.push(unlisted(appId, list, error))
      return []
    }
  }
  const has = (name: string) => isJsonObject(capabilities[name])
  const [prompts, templates, resources] = await Promise.all([
    feature(has('prompts'), lists.prompts, 'name'),
    feature(has('resources'), lists.templates, 'uriTemplate'),
    feature(has('resources'), lists.resources, 'uri'),
  ])
  return {
    tools: new Map(
      read.items.map((tool) => [tool.key, { name: tool.key, definition: tool.definition, digest: tool.digest }]),
    ),
    prompts,
    templates,
    resources,
    ...(instructions !== undefined && { instructions }),
    findings,
  }
}

const lists = {
  prompts: { method: 'prompts/list', field: 'prompts', what: 'prompts', most: 500 },
  templates: { method: 'resources/templates/list', field: 'resourceTemplates', what: 'resource templates', most: 200 },
  resources: { method: 'resources/list', field: 'resources', what: 'resources', most: 200 },
} as const

/** @throws what says that the server itself is gone. */
function unlisted(appId: string, { what }: PagedList, error: unknown): Finding {
  if (!isRollcallError(error) || error.code === 'SERVER_UNAVAILABLE') throw error
  const { code, message, hint } = error
  return {
    code,
    severity: 'warn',
    about: { appId },
    phase: 'list',
    message: `The ${what} of ${appId} are not offered: ${message}`,
    hint,
    causes: [],
  }
}
