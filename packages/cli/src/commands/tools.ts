import type { ToolView } from '@rollcall/host'
import type { Config } from '@rollcall/host/config'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openSession } from '../open-session.ts'
import { count } from '../output/duration.ts'
import { oneLine } from '../output/safe-text.ts'
import { renderTable } from '../output/table.ts'
import { tokenEstimate } from '../output/token-estimate.ts'
import { holdReason, toolState } from '../output/tool-state.ts'

/** `rollcall tools`: every tool of the catalogue, ready, off or held. */
export async function tools(context: CommandContext, options: { readonly off?: boolean }): Promise<ExitCode> {
  await using session = await openSession(context, { pinning: 'off' })
  const all = session.host.tools.all()
  const shown = options.off ? all.filter((tool) => toolState(tool) !== 'ready') : all
  context.screen.data({ tools: shown.map(toolData) })
  context.screen.print(
    ...asTable(shown, session.loaded.config, context),
    '',
    ...summary(shown, options.off === true, context),
  )
  return exitCode.fine
}

function toolData(tool: ToolView) {
  const { name, original, appId, kind, source, traits, holds, digest, definition } = tool
  const { effect, dataClass, group, adminOnly, approval } = traits
  return {
    name,
    title: definition.title ?? null,
    original,
    appId,
    kind,
    source,
    effect,
    dataClass,
    holds,
    tokens: tokenEstimate(tool),
    digest,
    group,
    adminOnly,
    approval,
  }
}

function asTable(shown: readonly ToolView[], config: Config, { screen }: CommandContext): readonly string[] {
  if (shown.length === 0) return []
  const { paint, width } = screen
  return renderTable({
    width,
    paintTitle: paint.dim,
    columns: [
      { title: 'TOOL', least: 44 },
      { title: 'EFFECT' },
      { title: 'RETURNS', dropOrder: 2 },
      { title: 'TOKENS', align: 'right', dropOrder: 1 },
      { title: 'STATE', least: 6 },
    ],
    rows: shown.map((tool) => {
      const state = toolState(tool)
      const text = state === 'ready' ? 'ready' : `${state}: ${holdReason(tool, config)}`
      return [
        oneLine(tool.name),
        tool.traits.effect,
        tool.traits.dataClass,
        tokenEstimate(tool).toLocaleString('en'),
        { text, paint: state === 'ready' ? paint.green : paint.yellow },
      ]
    }),
  })
}

function summary(shown: readonly ToolView[], onlyOff: boolean, { screen }: CommandContext): readonly string[] {
  const states = Map.groupBy(shown, toolState)
  const of = (state: 'ready' | 'off' | 'held') => states.get(state)?.length ?? 0
  const tokens = shown.reduce((sum, tool) => sum + tokenEstimate(tool), 0)
  if (shown.length === 0)
    return [onlyOff ? '  Nothing is off or held.' : '  No tools. See what answered: rollcall plugins']
  const parts = onlyOff ? [] : [`${of('ready')} ready`]
  const counts = [...parts, `${of('off')} off`, `${of('held')} held`].join(', ')
  const hints = new Map(shown.flatMap((tool) => tool.holds.slice(0, 1).map(({ hint }) => [hint, tool.name] as const)))
  const lines = onlyOff ? [...hints.keys()].slice(0, 8).map((hint) => `  ${screen.paint.dim(oneLine(hint))}`) : []
  return [`  ${count(shown.length, 'tool')} · ${counts} · ${tokens.toLocaleString('en')} tokens`, ...lines]
}
