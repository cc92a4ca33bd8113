import { type JsonObject, RollcallError } from '@rollcall/plugin'
import { createAskingWatch } from './approvals/wait-asking.ts'
import { toView } from './catalogue/to-view.ts'
import type { Profile } from './gate/profile.ts'
import { answer } from './invoke/answer.ts'
import { awaitCall, handleOf } from './invoke/await-call.ts'
import type { CallDeps } from './invoke/call-deps.ts'
import { callTool } from './invoke/call-tool.ts'
import { listGrants, revokeGrant } from './invoke/list-grants.ts'
import { listPending } from './invoke/list-pending.ts'
import type { ToolOutcome } from './invoke/outcome.ts'
import { parseArguments } from './invoke/parse-arguments.ts'
import { resume } from './invoke/resume.ts'
import type { CallOptions, ToolRuntime, Who } from './invoke/runtime.ts'
import { createAnswerWatch } from './invoke/watch-answers.ts'
import { offerTools } from './offer/offer-tools.ts'
import { isRuntimeTool, readResultTool } from './offer/runtime-tools.ts'
import { catalogueNotReady, hostIsClosed } from './refusals.ts'
import { replayCalls } from './report/replay.ts'
import { why } from './report/why.ts'
import { readResult } from './results/read-result.ts'

const defaultWaitMs = 45_000

/** The one runtime of a host: every consumer lists, calls and decides through it. */
export function createToolRuntime(deps: CallDeps): ToolRuntime {
  const answers = createAskingWatch(deps, createAnswerWatch(deps))
  const asking = (who: Who) => ({
    principal: who.principal,
    profile: profileOf(deps, who.profile),
    policy: deps.policy,
    ...(who.allow === undefined ? {} : { allow: who.allow }),
  })
  const ready = () => {
    const listener = deps.currentListener()
    if (listener !== undefined) throw catalogueNotReady(listener)
    return deps.catalogue()
  }
  /** What goes on with a call that was made: no provider's tool, and gated as that call. */
  const own = async (tool: string, args: unknown, options: CallOptions): Promise<ToolOutcome> => {
    const profile = deps.profiles.get(options.profile ?? 'direct')
    if (profile === undefined || tool !== readResultTool) {
      const timeoutMs = profile?.approvals?.waitMs ?? defaultWaitMs
      return await awaitCall(deps, answers, handleIn(args), { ...options, timeoutMs })
    }
    return await readResult(deps, profile, args, options)
  }
  return {
    list: (who) => offerTools(ready(), asking(who), { isModel: who.resultBytes !== undefined }),
    all: () => [...ready().entries.values()].map(toView),
    call: (tool, args, options) =>
      isRuntimeTool(tool) ? own(tool, args, options) : callTool(deps, tool, args, options),
    wait: (call, options) => answers.wait(call, options),
    handle: (call, holder) => handleOf(deps, call, holder),
    await: (handle, options) => awaitCall(deps, answers, handle, options),
    answer: (call, given, principal, channel = 'library') => answer(deps, call, given, principal, channel),
    resume: (call, options) => resume(deps, call, options),
    why: (tool, who) => why(ready(), tool, asking(who)),
    async pending(principal) {
      if (deps.signal.aborted) throw hostIsClosed()
      return await listPending(deps, principal)
    },
    async grants(principal) {
      if (deps.signal.aborted) throw hostIsClosed()
      return await listGrants(deps, principal)
    },
    replay: (since) => replayCalls({ ...deps, catalogue: ready() }, since),
    revoke: (grant, principal) => revokeGrant(deps, grant, principal),
  }
}

/** The handle in arguments that may be anything. */
function handleIn(args: unknown): unknown {
  const parsed = parseArguments(undefined, args)
  return parsed.ok ? (parsed.value as JsonObject).handle : undefined
}

function profileOf(deps: CallDeps, name = 'direct'): Profile {
  const profile = deps.profiles.get(name)
  if (profile !== undefined) return profile
  throw new RollcallError('CONFIG_INVALID', `There is no profile ${name}.`, {
    hint: `Add it to \`profiles\`, or name one of: ${[...deps.profiles.keys()].join(', ')}`,
  })
}
