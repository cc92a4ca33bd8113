import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openSession } from '../open-session.ts'
import { count } from '../output/duration.ts'
import { findingLines } from '../output/finding-lines.ts'
import { problemsOf } from '../output/problems-of.ts'
import { rollCallLines } from '../output/roll-call-lines.ts'

/** `rollcall plugins`: who answered the roll, how, and who did not. */
export async function plugins(context: CommandContext): Promise<ExitCode> {
  await using session = await openSession(context, { pinning: 'off' })
  const { screen } = context
  const { generation, providers, findings } = session.host.report()
  screen.data({ generation, providers, findings })
  const tools = providers.reduce((sum, provider) => sum + provider.tools, 0)
  const problems = problemsOf({ findings, providers })
  screen.print(
    ...rollCallLines(providers, screen),
    '',
    `  ${count(providers.length, 'provider')} · ${count(tools, 'tool')}`,
    ...problems.flatMap((finding) => ['', ...findingLines(finding, screen)]),
  )
  return exitCode.fine
}
