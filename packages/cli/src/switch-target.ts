import { type Host, localUser, type SwitchTarget, type ToolView } from '@rollcall/host'
import { type Config, nearest } from '@rollcall/host/config'
import { isRollcallError, RollcallError } from '@rollcall/plugin'
import type { CommandContext } from './command-context.ts'
import { oneLine } from './output/safe-text.ts'
import { holdReason, toolState } from './output/tool-state.ts'

/** What a word on the command line means to switch: a tool, a group with or without `group:`, or else a discovered package. */
export function switchTarget(word: string, host: Host): SwitchTarget {
  if (word.startsWith('group:')) return { kind: 'group', group: word.slice('group:'.length) }
  const tools = host.tools.all()
  if (tools.some(({ name }) => name === word)) return { kind: 'tool', name: word }
  if (tools.some(({ traits }) => traits.group === word)) return { kind: 'group', group: word }
  return /^[a-z][a-z0-9-]*__/.test(word) ? { kind: 'tool', name: word } : { kind: 'plugin', name: word }
}

/**
 * Switches what a word means.
 *
 * @returns the tools that were touched, as they stand now.
 * @throws {RollcallError} `TOOL_NOT_FOUND` with the nearest match, and as `host.switches`.
 */
export async function switchTo(
  on: boolean,
  word: string,
  target: SwitchTarget,
  host: Host,
): Promise<readonly ToolView[]> {
  try {
    return await (on ? host.switches.enable(target, localUser.id) : host.switches.disable(target, localUser.id))
  } catch (error) {
    throw isRollcallError(error, 'TOOL_NOT_FOUND') ? notFound(word, host) : error
  }
}

function notFound(word: string, host: Host): RollcallError {
  const tools = host.tools.all()
  const groups = new Set(tools.map(({ traits }) => traits.group))
  const known = word.startsWith('group:')
    ? [...groups].map((group) => `group:${group}`)
    : [...tools.map(({ name }) => name), ...groups, ...host.report().providers.map(({ plugin }) => plugin)]
  const near = nearest(word, known)
  const meant = near === undefined || near === word ? '' : ` Did you mean ${oneLine(near)}?`
  return new RollcallError('TOOL_NOT_FOUND', `There is no tool, group or plugin ${oneLine(word)}.${meant}`, {
    hint: 'List what there is: rollcall tools, rollcall plugins',
  })
}

/** Shows how the tools stand that a switch touched. */
export function showSwitched(
  target: SwitchTarget,
  on: boolean,
  touched: readonly ToolView[],
  { screen }: CommandContext,
  config: Config,
): void {
  const tools = touched.map((tool) => ({ name: tool.name, state: toolState(tool), holds: tool.holds }))
  screen.data({ target, on, tools })
  if (target.kind === 'plugin') {
    screen.print(
      `${oneLine(target.name)} is ${on ? 'accepted' : 'not accepted any more'}; that counts from the next start.`,
    )
  }
  screen.print(
    ...touched.map((tool) => {
      const state = toolState(tool)
      return `${oneLine(tool.name)} is ${state === 'ready' ? 'on' : `${state} (${holdReason(tool, config)})`}.`
    }),
  )
}
