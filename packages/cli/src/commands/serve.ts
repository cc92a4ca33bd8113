import { type Host, localClient } from '@rollcall/host'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openService } from '../open-service.ts'
import { openSession } from '../open-session.ts'
import { count } from '../output/duration.ts'
import { oneLine } from '../output/safe-text.ts'
import { requireProfile } from '../require-profile.ts'
import type { StandardOutput } from '../standard-output.ts'
import { tellWaiting } from '../tell-waiting.ts'
import { unmigrated } from '../unmigrated.ts'
import { untilInterrupted } from '../until-interrupted.ts'

/** `rollcall serve`: serves MCP clients, over HTTP or as the child of one client over standard input and output. */
export async function serve(
  context: CommandContext,
  options: { readonly stdio?: boolean; readonly profile?: string; readonly output: StandardOutput },
): Promise<ExitCode> {
  if (options.stdio === true) return serveStdio(context, options.profile ?? 'default', options.output)
  await using service = await openService(context)
  tellWaiting(service.session.host, context)
  const { screen, signal } = context
  if (refuseUnmigrated(service.session.host, context)) return exitCode.negative
  const { providers, findings } = service.session.host.report()
  const tools = service.session.host.tools.all()
  screen.data({ addresses: service.addresses, providers, findings })
  screen.print(...service.addresses.map(({ url, profile }) => `${url}  profile ${profile}`))
  screen.note(
    `${count(providers.length, 'provider')}, ${count(tools.length, 'tool')}, ${count(findings.length, 'finding')} (rollcall report)`,
  )
  await untilInterrupted(signal)
  return exitCode.interrupted
}

async function serveStdio(context: CommandContext, profile: string, output: StandardOutput): Promise<ExitCode> {
  await using session = await openSession(context, { pinning: 'background' })
  const { name } = requireProfile(session.host, profile)
  if (refuseUnmigrated(session.host, context)) return exitCode.negative
  await session.mcp.serveStdio(session.host, {
    profile: name,
    principal: localClient,
    signal: context.signal,
    input: process.stdin,
    output: output.stream,
  })
  return context.signal.aborted ? exitCode.interrupted : exitCode.fine
}

function refuseUnmigrated(host: Host, { screen }: CommandContext): boolean {
  const faults = unmigrated(host)
  for (const { message, hint } of faults) screen.note(`✗ ${oneLine(message)}`, `  ${oneLine(hint)}`)
  return faults.length > 0
}
