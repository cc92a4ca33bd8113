import type { Json, JsonObject } from '@rollcall/plugin'
import { compileArguments } from '../catalogue/compile-arguments.ts'
import type { Profile } from '../gate/profile.ts'
import type { CallDeps } from '../invoke/call-deps.ts'
import { digestArguments, gated, newCallId, openRecord, proposed } from '../invoke/call-record.ts'
import { denial, gateCall, notRecorded } from '../invoke/call-tool.ts'
import { type EndedOutcome, endCall } from '../invoke/end-call.ts'
import type { ToolOutcome } from '../invoke/outcome.ts'
import { parseArguments } from '../invoke/parse-arguments.ts'
import { readTaint } from '../invoke/read-taint.ts'
import type { CallOptions } from '../invoke/runtime.ts'
import { openHandle } from '../invoke/sealed-handle.ts'
import { failed } from '../invoke/to-outcome.ts'
import { readResultTool, runtimeTool } from '../offer/runtime-tools.ts'
import { partOf, type Wanted } from './part-of.ts'

const defaultBytes = 50_000
const schema = runtimeTool(readResultTool, 0)?.definition.inputSchema ?? false

/**
 * Reads a part of a result that was cut. Each read passes the gate as the tool that the result came from, as it is now,
 * and has a record of its own. A handle that is over, forged or somebody else's looks unknown. Never rejects.
 */
export async function readResult(
  deps: CallDeps,
  profile: Profile,
  args: unknown,
  options: CallOptions,
): Promise<ToolOutcome> {
  const begun = deps.clock.now()
  const callId = options.run?.callId ?? newCallId(begun)
  const elapsed = () => ({ callId, durationMs: deps.clock.now() - begun })
  try {
    const parsed = parseArguments(undefined, args)
    const checked = parsed.ok ? check(parsed.value) : parsed
    const key = await deps.digestKey()
    const source = checked.ok ? openHandle(key, 'result', asked(checked.value).handle, options) : undefined
    const found = source === undefined ? undefined : await deps.results.find(source, options.principal.id)
    const entry = found && deps.catalogue().entries.get(found.tool)
    const taint = await readTaint(deps, entry, options)
    // What was let through once is not put before a person again; what was switched off since is.
    const verdict = gateCall(deps, { entry, parsed: { ok: false, text: '', message: '' }, profile, options, taint })
    const view = runtimeTool(readResultTool, deps.catalogue().generation)
    const recorded = view && { ...view, traits: entry?.traits ?? { ...view.traits, dataClass: 'secretAdjacent' } }
    const unwritten = [
      proposed(callId, readResultTool, recorded, digestArguments(parsed.text, key), { ...options, profile }),
      gated(callId, verdict.verdict === 'ask' ? { ...verdict, verdict: 'allow' } : verdict, { taint }),
    ]
    const outcome = await (async (): Promise<EndedOutcome> => {
      if (!checked.ok)
        return failed(
          elapsed(),
          'TOOL_ARGUMENTS_INVALID',
          `${readResultTool}: ${checked.message}`,
          'Correct the arguments.',
        )
      if (found === undefined) return unknown(elapsed())
      if (entry === undefined || verdict.verdict === 'deny')
        return { ...elapsed(), status: 'denied', ...denial(deps, found.tool, entry, verdict) }
      await deps.taints.note(options, { name: entry.name, dataClass: entry.traits.dataClass })
      const { text, note } = partOf(found.text, wantedOf(asked(checked.value)), options.resultBytes ?? defaultBytes)
      const content = [
        ...(text === '' ? [] : [{ type: 'text' as const, text }]),
        { type: 'text' as const, text: `[${note}]` },
      ]
      return { ...elapsed(), status: 'ok', text, content, artifacts: [] }
    })()
    const record = openRecord(deps.store, callId, options.principal.id, options.run)
    await endCall(deps, record, { length: 0, unwritten }, readResultTool, outcome)
    return outcome
  } catch (error) {
    return notRecorded(deps, error, elapsed())
  }
}

const check = (value: Json) => compileArguments(schema as JsonObject)(value)

interface Asked {
  readonly handle: string
  readonly offset?: number
  readonly find?: string
  readonly pointer?: string
}

/** The schema has checked it. */
function asked(value: Json): Asked {
  return value as unknown as Asked
}

function wantedOf({ offset = 0, find, pointer }: Asked): Wanted {
  if (pointer !== undefined) return { kind: 'value', pointer }
  return find === undefined ? { kind: 'page', offset } : { kind: 'lines', find }
}

function unknown(elapsed: { readonly callId: string; readonly durationMs: number }): EndedOutcome {
  const hint = 'Results are kept for 7 days; make the call again.'
  return failed(elapsed, 'RESULT_NOT_FOUND', 'There is no result of that handle.', hint)
}
