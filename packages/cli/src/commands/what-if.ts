import type { ReplayedCall } from '@rollcall/host'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openSession } from '../open-session.ts'
import { oneLine } from '../output/safe-text.ts'
import { renderTable } from '../output/table.ts'
import { parseDuration } from '../parse-duration.ts'

/** Calls of one tool under one profile to which the same happened. */
interface Group extends Pick<ReplayedCall, 'tool' | 'profile' | 'before' | 'now' | 'why'> {
  readonly calls: number
  /** The newest of them. */
  readonly callId: string
}

/**
 * `rollcall what-if`: what this configuration would have said of the calls that are recorded. With `--config` another
 * one than that by which they were made. Changes nothing and starts no server; exits 1 where a verdict differs.
 */
export async function whatIf(context: CommandContext, options: { readonly since?: string }): Promise<ExitCode> {
  await using session = await openSession(context, { pinning: 'off', readOnly: true })
  const { screen } = context
  const since = options.since === undefined ? 0 : Date.now() - parseDuration(options.since, '--since')
  let total = 0
  const groups = new Map<string, Group>()
  for await (const call of session.host.tools.replay(since)) {
    total += 1
    if (call.before === call.now) continue
    const { tool, profile, before, now, why, callId } = call
    const key = JSON.stringify([tool, profile, before, now, why])
    groups.set(key, { tool, profile, before, now, why, callId, calls: (groups.get(key)?.calls ?? 0) + 1 })
  }
  const found = [...groups.values()].toSorted((a, b) => rank(a) - rank(b) || b.calls - a.calls)
  const changed = found.filter(({ now }) => now !== 'undecidable')
  const count = (some: readonly Group[]) => some.reduce((sum, { calls }) => sum + calls, 0)
  const undecidable = count(found) - count(changed)
  screen.data({ calls: total, changed: count(changed), undecidable, groups: found })
  screen.print(
    ...(found.length === 0 ? [] : [...asTable(found, context), '']),
    `  ${total} recorded ${total === 1 ? 'call' : 'calls'}: ${count(changed)} would end otherwise, ${undecidable} can't be told, ${total - count(found)} stay as they were.`,
  )
  return changed.length > 0 ? exitCode.negative : exitCode.fine
}

const strictest = ['deny', 'ask', 'undecidable', 'allow'] as const

function rank({ now }: Group): number {
  return strictest.indexOf(now)
}

function asTable(groups: readonly Group[], { screen }: CommandContext): readonly string[] {
  return renderTable({
    width: screen.width,
    paintTitle: screen.paint.dim,
    columns: [
      { title: 'TOOL', least: 24 },
      { title: 'PROFILE' },
      { title: 'WAS' },
      { title: 'WOULD BE' },
      { title: 'CALLS' },
      { title: 'BECAUSE', least: 20, dropOrder: 1 },
    ],
    rows: groups.map(({ tool, profile, before, now, calls, why }) => [
      oneLine(tool),
      oneLine(profile),
      before,
      now,
      String(calls),
      oneLine(why),
    ]),
  })
}
