import { visibleText } from '@rollcall/plugin'

/** What one or more servers say about themselves; all of them in the same words. */
interface Said {
  readonly appId: string
  readonly text: string
}

const maxOfOne = 4000
const maxOfAll = 16_000

/**
 * What every client is told about this server when it connects.
 *
 * What servers say follows under their names, each line indented: a line of theirs never looks like one of ours.
 */
export function instructionsFor(profile: string, hidden: number, said: readonly Said[]): string {
  return [purpose, ...hiddenNote(profile, hidden), ...labelled(said)].join('\n\n')
}

/** What a client of one bare provider is told: that server's own words. */
export function bareInstructions(profile: string, hidden: number, said: readonly Said[]): string {
  return [...said.map(({ text }) => shown(text)), ...hiddenNote(profile, hidden)].join('\n\n')
}

const purpose = 'Rollcall offers the tools of several providers under one set of rules. Some calls wait for a person.'

function hiddenNote(profile: string, hidden: number): readonly string[] {
  if (hidden === 0) return []
  const tools = hidden === 1 ? '1 tool is' : `${hidden} tools are`
  return [
    `${tools} hidden from the profile ${profile}. To learn why a tool is missing, an admin runs: rollcall why <tool> --profile ${profile}`,
  ]
}

function labelled(said: readonly Said[]): readonly string[] {
  const parts: string[] = []
  let left = maxOfAll
  let leftOut = 0
  for (const [text, appIds] of byText(said)) {
    const lines = shown(text).replace(/^/gm, '  ')
    if (lines.length > left) leftOut += appIds.length
    else
      parts.push(`From ${appIds.join(', ')}, whose names begin here with ${appIds.map(prefixOf).join(', ')}:\n${lines}`)
    left -= Math.min(left, lines.length)
  }
  if (leftOut > 0) parts.push(`The instructions of ${leftOut} more servers are left out: they are too long together.`)
  return parts
}

function byText(said: readonly Said[]): ReadonlyMap<string, readonly string[]> {
  const appIds = new Map<string, string[]>()
  for (const { appId, text } of said) {
    const known = appIds.get(text)
    if (known === undefined) appIds.set(text, [appId])
    else known.push(appId)
  }
  return appIds
}

function prefixOf(appId: string): string {
  return `${appId}__`
}

function shown(text: string): string {
  const visible = visibleText(text.slice(0, maxOfOne))
  return text.length > maxOfOne ? `${visible}\n[cut]` : visible
}
