import { type Json, RollcallError } from '@rollcall/plugin'
import type { OpenProvider } from '../../providers/provider.ts'
import type { Claim, LegacyProvider } from '../claim.ts'
import { describeFound } from './legacy-provider.ts'
import { type Adapted, toListedTool } from './to-listed-tool.ts'
import { toToolResult } from './to-tool-result.ts'

/**
 * Opens a claim of the legacy scan: its provider in the words of the host, while the provider still hears its own.
 *
 * @throws {RollcallError} `PROVIDER_INVALID` for a claim of another kind.
 */
export function openLegacy(claim: Claim): OpenProvider {
  const { provider } = claim
  if (provider.kind !== 'legacy')
    throw new RollcallError('PROVIDER_INVALID', `The provider of "${claim.appId}" is ${provider.kind}, not legacy.`, {
      hint: 'Open it as what its "kind" says.',
    })
  // Never emptied: a dry run lists as well, and must not take away what is callable.
  const ids = new Map<string, string>()

  return {
    async list() {
      const descriptors: unknown = await provider.getTools()
      if (!Array.isArray(descriptors)) throw noList(claim, descriptors)
      const adapted = descriptors.map((descriptor: unknown) => toListedTool(descriptor, claim))
      const tools = adapted.flatMap(({ tool }) => tool ?? [])
      // Where two ids have one name the first is listed, so the first is the one to call.
      for (const { name, id } of tools.toReversed()) ids.set(name, id)
      return {
        tools: tools.map((tool) => withPreview(tool, provider)),
        holds: [],
        findings: adapted.flatMap(({ findings }) => findings),
        detail: '',
      }
    },

    async call(tool, args) {
      const id = ids.get(tool)
      if (id === undefined) throw notListed(claim, tool)
      return toToolResult(await provider.invokeTool(id, args), id)
    },

    // The provider belongs to its plugin and ends with it.
    async [Symbol.asyncDispose]() {},
  }
}

function withPreview({ id, ...tool }: Adapted, provider: LegacyProvider) {
  const { previewTool } = provider
  return previewTool === undefined ? tool : { ...tool, preview: (args: Json) => previewTool(id, args) }
}

function noList({ appId, from }: Claim, found: unknown): RollcallError {
  return new RollcallError('PROVIDER_LIST_FAILED', `getTools() of "${appId}" gave ${describeFound(found)}, no list.`, {
    hint: `Let getTools() in ${from} return an array of descriptors.`,
  })
}

function notListed({ appId }: Claim, tool: string): RollcallError {
  return new RollcallError('TOOL_NOT_FOUND', `"${appId}" lists no tool "${tool}".`, {
    hint: 'Run `rollcall tools` to see what is listed.',
  })
}
