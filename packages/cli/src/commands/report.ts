import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openSession } from '../open-session.ts'
import { count } from '../output/duration.ts'
import { bySeverity, findingLines } from '../output/finding-lines.ts'

/** `rollcall report`: every finding with its causes and what to do about it. */
export async function report(context: CommandContext): Promise<ExitCode> {
  await using session = await openSession(context, { pinning: 'off' })
  const { screen } = context
  const found = session.host.report()
  const findings = bySeverity(found.findings)
  screen.data({ findings, generation: found.generation, providers: found.providers, listeners: found.listeners })
  const of = (severity: string) => findings.filter((finding) => finding.severity === severity).length
  screen.print(
    ...findings.flatMap((finding) => [...findingLines(finding, { ...screen, causes: true }), '']),
    findings.length === 0
      ? '  Nothing to report: everybody answered the roll.'
      : `  ${count(of('error'), 'error')}, ${count(of('warn'), 'warning')}, ${count(of('info'), 'notice')}`,
  )
  return exitCode.fine
}
