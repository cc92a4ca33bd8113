import type { Host, SwitchTarget, ToolView } from '@rollcall/host'
import type { Config } from '@rollcall/host/config'
import type { CommandContext } from './command-context.ts'
import { oneLine } from './output/safe-text.ts'
import { holdReason, toolState } from './output/tool-state.ts'

/** What a word on the command line means to switch: a tool, `group:<name>`, or else a discovered package. */
export function switchTarget(word: string, host: Host): SwitchTarget {
  if (word.startsWith('group:')) return { kind: 'group', group: word.slice('group:'.length) }
  const isTool = host.tools.all().some(({ name }) => name === word) || /^[a-z][a-z0-9-]*__/.test(word)
  return isTool ? { kind: 'tool', name: word } : { kind: 'plugin', name: word }
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
