import type { Profile, ToolView, Verdict, Vote } from '@rollcall/host'
import type { Finding } from '@rollcall/plugin'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openSession } from '../open-session.ts'
import { findingLines } from '../output/finding-lines.ts'
import type { Paint } from '../output/paint.ts'
import { oneLine, widthOf } from '../output/safe-text.ts'
import { wrap } from '../output/wrap.ts'
import { directProfile, principalOf } from '../principals.ts'
import { requireProfile } from '../require-profile.ts'

/** `rollcall why`: every vote of the gate about one tool, and what would change a denial. */
export async function why(
  context: CommandContext,
  tool: string,
  options: { readonly profile?: string },
): Promise<ExitCode> {
  await using session = await openSession(context, { pinning: 'off' })
  const profile = requireProfile(session.host, options.profile ?? directProfile)
  const principal = principalOf(profile.name)
  const answer = session.host.tools.why(tool, { principal, profile: profile.name })
  const { view, verdict, findings } = answer
  const { screen } = context
  const ways = waysOut(verdict, view, profile)
  screen.data({
    tool,
    profile: profile.name,
    principal: principal.id,
    verdict: verdict.verdict,
    decidedBy: verdict.decidedBy,
    votes: verdict.votes,
    holds: view?.holds ?? [],
    ...(view?.asks !== undefined && { asks: view.asks }),
    ways,
    findings,
  })
  screen.print(...asText({ tool, view, verdict, findings, profile, ways }, context))
  return verdict.verdict === 'deny' ? exitCode.negative : exitCode.fine
}

interface Answer {
  readonly tool: string
  readonly view: ToolView | undefined
  readonly verdict: Verdict
  readonly findings: readonly Finding[]
  readonly profile: Profile
  readonly ways: readonly string[]
}

function asText(answer: Answer, { screen }: CommandContext): readonly string[] {
  const { paint, width } = screen
  const { view, verdict, profile, ways } = answer
  const facts = view
    ? [view.traits.effect, view.traits.dataClass, `${view.source} (${view.kind})`].join(' · ')
    : 'no such tool'
  const end = {
    allow: paint.green(`Offered to profile ${profile.name}, and runs without asking.`),
    ask: paint.yellow(`Offered to profile ${profile.name}; a person approves each call.`),
    deny: paint.red(`Not offered to profile ${profile.name}.`),
  }[verdict.verdict]
  const name = oneLine(answer.tool)
  const isShort = widthOf(name) + widthOf(facts) + 5 <= width
  return [
    ...(isShort ? [`${paint.bold(name)}  ·  ${facts}`] : [paint.bold(name), facts]),
    '',
    ...verdict.votes.flatMap((vote) => voteLines(vote, paint, width)),
    '',
    `  ${end}${ways.length > 0 ? ' To change that:' : ''}`,
    ...ways.flatMap((way) => wrap(way, width - 4)).map((line) => `    ${line}`),
    ...(view?.asks === undefined
      ? []
      : [`  Before each call a person is asked for: ${oneLine(view.asks.join(', '))}.`]),
    ...answer.findings.flatMap((finding) => ['', ...findingLines(finding, screen)]),
  ]
}

function voteLines({ rule, vote, why }: Vote, paint: Paint, width: number): readonly string[] {
  const colour = { allow: paint.green, ask: paint.yellow, deny: paint.red, abstain: paint.dim }[vote]
  const mark = vote === 'deny' ? colour('✗') : ' '
  const word = vote === 'abstain' ? '–' : vote
  const [first = '', ...rest] = wrap(oneLine(why), width - 26)
  return [
    `  ${rule.padEnd(12)}${mark} ${colour(word.padEnd(7))} ${first}`.trimEnd(),
    ...rest.map((line) => `${' '.repeat(24)}${line}`),
  ]
}

function waysOut(verdict: Verdict, view: ToolView | undefined, profile: Profile): readonly string[] {
  if (verdict.verdict !== 'deny') return []
  const key = `"profiles.${profile.name}`
  switch (verdict.decidedBy) {
    case 'registered':
      return ['rollcall tools lists the names there are; rollcall report says what is missing and why']
    case 'held':
      return [...new Set((view?.holds ?? []).map(({ hint }) => oneLine(hint)))]
    case 'admin':
      return [`call it as the owner of this process: rollcall call ${view?.name ?? '<tool>'}`]
    case 'profile':
      return [`add it to ${key}.allow" in the configuration, or use another profile`]
    case 'zone':
      return [
        `set ${key}.ceiling" to "${view?.traits.dataClass}" in the configuration: raises what that model may read`,
        'or use a profile whose model runs closer: local, privateHosted, externalEu',
      ]
    default:
      return []
  }
}
