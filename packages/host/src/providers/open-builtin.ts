import {
  type Finding,
  type Json,
  RollcallError,
  type ToolContext,
  type ToolDefinition,
  type ToolProvider,
} from '@rollcall/plugin'
import type { Claim } from '../discovery/claim.ts'
import { faultsAgainst, hasRefinements } from './author-schema.ts'
import { listBuiltinTool } from './list-builtin-tool.ts'
import type { OpenProvider, ProviderCall } from './provider.ts'
import { readResult } from './read-result.ts'

/** A claim whose tools are functions of this process. */
export type BuiltinClaim = Claim & { readonly provider: Extract<ToolProvider, { kind: 'builtin' }> }

/** Opens a provider of functions of this process. What its author left out is taken at its strictest and reported. */
export function openBuiltin(claim: BuiltinClaim): OpenProvider {
  const { appId, plugin, provider } = claim
  let definitions = new Map<string, ToolDefinition>()

  return {
    async list(signal) {
      const written: unknown = typeof provider.tools === 'function' ? await provider.tools(signal) : provider.tools
      if (!Array.isArray(written)) throw noList(appId, written)
      const found = new Map<string, ToolDefinition>()
      const tools: unknown[] = []
      const findings: Finding[] = []
      for (const definition of written as readonly unknown[]) {
        if (!isDefinition(definition)) {
          // Not a tool at all: listed as it is, so that the catalogue drops it with its reason.
          tools.push(definition)
          continue
        }
        const { tool, missing } = listBuiltinTool(definition, appId)
        if (!found.has(tool.name)) found.set(tool.name, definition)
        tools.push(tool)
        if (missing.length > 0) findings.push(classMissing({ plugin, appId, tool: tool.name }, missing))
      }
      definitions = found
      return { tools, holds: [], findings, detail: '' }
    },

    async call(tool, args, call) {
      const definition = definitions.get(tool)
      if (definition === undefined) throw gone(appId, tool)
      await checkRefinements(`${appId}__${tool}`, definition, args)
      const returned: unknown = await definition.execute(args as never, contextOf(call))
      return readResult(`${appId}__${tool}`, definition, returned)
    },

    async [Symbol.asyncDispose]() {},
  }
}

function isDefinition(value: unknown): value is ToolDefinition {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<ToolDefinition>).name === 'string' &&
    typeof (value as Partial<ToolDefinition>).execute === 'function'
  )
}

// The catalogue has checked the JSON form of the schema; rules in code are known here only.
async function checkRefinements(name: string, { input }: ToolDefinition, args: Json): Promise<void> {
  if (input === undefined || !hasRefinements(input)) return
  const faults = await faultsAgainst(input, args)
  if (faults.length === 0) return
  throw new RollcallError('TOOL_ARGUMENTS_INVALID', `The arguments of ${name} do not fit: ${faults.join('; ')}.`, {
    hint: 'Correct the paths that the message names.',
  })
}

// Named one by one: whatever else the host keeps about a call is none of the tool's business.
function contextOf(call: ProviderCall): ToolContext {
  return Object.freeze({
    principal: call.principal,
    profile: call.profile,
    callId: call.callId,
    ...(call.runId === undefined ? {} : { runId: call.runId }),
    idempotencyKey: call.idempotencyKey,
    signal: call.signal,
    logger: call.logger,
    progress: (done: number, total?: number, message?: string) => call.progress(done, total, message),
  })
}

function noList(appId: string, received: unknown): RollcallError {
  const what = received === null ? 'null' : typeof received
  return new RollcallError('PROVIDER_LIST_FAILED', `The tools of ${appId} are no list: received ${what}.`, {
    hint: 'Announce `tools` as an array of definitions, or as a function that returns one.',
  })
}

function gone(appId: string, tool: string): RollcallError {
  return new RollcallError('TOOL_GONE', `${appId} does not offer ${JSON.stringify(tool)} any more.`, {
    hint: 'List the tools again.',
  })
}

function classMissing(about: Finding['about'], missing: readonly string[]): Finding {
  return {
    code: 'TOOL_CLASS_MISSING',
    migration: 'MIG020',
    severity: 'warn',
    about,
    phase: 'list',
    message: `${about.appId}__${about.tool} states no valid ${missing.join(' and no valid ')}: the strictest is taken.`,
    hint: `Add \`effect\` and \`dataClass\` to the definition of \`${about.tool}\` in ${about.plugin}.`,
    causes: [],
  }
}
