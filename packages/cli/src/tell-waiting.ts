import { type Host, localUser } from '@rollcall/host'
import { ApprovalRequested } from '@rollcall/plugin'
import type { CommandContext } from './command-context.ts'
import { oneLine } from './output/safe-text.ts'
import { shortIds } from './pending-calls.ts'

/** Says on standard error whenever a call that somebody makes through this host waits for a person. */
export function tellWaiting(host: Host, { screen, commandName }: CommandContext): void {
  host.on(ApprovalRequested, async ({ callId, tool }) => {
    const waiting = (await host.tools.pending(localUser)).filter(({ decision }) => decision === undefined)
    const asked = waiting.find(({ pending }) => pending.callId === callId)
    // Decided before anybody could be told.
    if (asked === undefined) return
    const id = shortIds(waiting).get(asked) ?? callId
    const command = asked.pending.kind === 'input' ? 'input' : 'approve'
    screen.note(`${oneLine(tool)} waits for a person: ${commandName} ${command} ${id}`)
  })
}
