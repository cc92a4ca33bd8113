import { RollcallError } from '@rollcall/plugin'
import { toView } from './catalogue/to-view.ts'
import type { Profile } from './gate/profile.ts'
import { answer } from './invoke/answer.ts'
import type { CallDeps } from './invoke/call-deps.ts'
import { callTool } from './invoke/call-tool.ts'
import { listGrants, revokeGrant } from './invoke/list-grants.ts'
import { listPending } from './invoke/list-pending.ts'
import { resume } from './invoke/resume.ts'
import type { ToolRuntime, Who } from './invoke/runtime.ts'
import { createAnswerWatch } from './invoke/watch-answers.ts'
import { offerTools } from './offer/offer-tools.ts'
import { catalogueNotReady, hostIsClosed } from './refusals.ts'
import { replayCalls } from './report/replay.ts'
import { why } from './report/why.ts'

/** The one runtime of a host: every consumer lists, calls and decides through it. */
export function createToolRuntime(deps: CallDeps): ToolRuntime {
  const answers = createAnswerWatch(deps)
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
  return {
    list: (who) => offerTools(ready(), asking(who)),
    all: () => [...ready().entries.values()].map(toView),
    call: (tool, args, options) => callTool(deps, tool, args, options),
    wait: (call, options) => answers.wait(call, options),
    answer: (call, given, principal) => answer(deps, call, given, principal),
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

function profileOf(deps: CallDeps, name = 'direct'): Profile {
  const profile = deps.profiles.get(name)
  if (profile !== undefined) return profile
  throw new RollcallError('CONFIG_INVALID', `There is no profile ${name}.`, {
    hint: `Add it to \`profiles\`, or name one of: ${[...deps.profiles.keys()].join(', ')}`,
  })
}
