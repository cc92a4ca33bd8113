import { type Host, localClient } from '@rollcall/host'
import { RollcallError } from '@rollcall/plugin'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { serveBridge } from '../local-host/serve-bridge.ts'
import { serveLocal } from '../local-host/serve-local.ts'
import { openService } from '../open-service.ts'
import { openSession } from '../open-session.ts'
import { count } from '../output/duration.ts'
import { oneLine } from '../output/safe-text.ts'
import { requireProfile } from '../require-profile.ts'
import { requireProvider } from '../require-provider.ts'
import type { StandardOutput } from '../standard-output.ts'
import { tellWaiting } from '../tell-waiting.ts'
import { unmigrated } from '../unmigrated.ts'
import { untilInterrupted } from '../until-interrupted.ts'

/** The options of `rollcall serve`. */
export interface ServeWords {
  readonly stdio?: boolean
  readonly profile?: string
  readonly bare?: string
  /** Seconds. */
  readonly linger?: string
  readonly local?: boolean
}

const defaultLingerSeconds = 60

/** `rollcall serve`: serves MCP clients, over HTTP or as the child of one client over standard input and output. */
export async function serve(
  context: CommandContext,
  options: ServeWords & { readonly output: StandardOutput },
): Promise<ExitCode> {
  const lingerMs = lingerOf(options)
  if (options.stdio === true) return serveStdio(context, { ...options, lingerMs })
  if (options.local === true) {
    await serveLocal(context, { lingerMs })
    return context.signal.aborted ? exitCode.interrupted : exitCode.fine
  }
  if (options.profile !== undefined) {
    throw new RollcallError('USAGE', '--profile goes with --stdio: over HTTP each profile has its own address.', {
      hint: `Its clients go to /mcp/${oneLine(options.profile)}, if it has "serve": true in the configuration.`,
    })
  }
  const { bare } = options
  await using service = await openService(context, bare === undefined ? {} : { bare })
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

async function serveStdio(
  context: CommandContext,
  options: ServeWords & { readonly output: StandardOutput; readonly lingerMs: number },
): Promise<ExitCode> {
  const { profile = 'default', bare, lingerMs } = options
  const common = { profile, ...(bare !== undefined && { bare }), input: process.stdin, output: options.output.stream }
  if (!(await serveBridge(context, { ...common, lingerMs }))) {
    await using session = await openSession(context, { pinning: 'background' })
    requireProfile(session.host, profile)
    if (bare !== undefined) requireProvider(session.host, bare)
    if (refuseUnmigrated(session.host, context)) return exitCode.negative
    await session.mcp.serveStdio(session.host, { ...common, principal: localClient, signal: context.signal })
  }
  return context.signal.aborted ? exitCode.interrupted : exitCode.fine
}

function lingerOf({ linger }: ServeWords): number {
  const seconds = linger === undefined ? defaultLingerSeconds : Number(linger)
  if (Number.isFinite(seconds) && seconds >= 0 && seconds <= 86_400) return seconds * 1000
  throw new RollcallError('USAGE', `--linger takes seconds, from 0 to 86400; it got "${oneLine(linger ?? '')}".`, {
    hint: 'Leave it out for 60.',
  })
}

function refuseUnmigrated(host: Host, { screen }: CommandContext): boolean {
  const faults = unmigrated(host)
  for (const { message, hint } of faults) screen.note(`✗ ${oneLine(message)}`, `  ${oneLine(hint)}`)
  return faults.length > 0
}
