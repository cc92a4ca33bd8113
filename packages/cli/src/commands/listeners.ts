import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openSession } from '../open-session.ts'
import { oneLine } from '../output/safe-text.ts'
import { renderTable } from '../output/table.ts'

/** `rollcall listeners`: each listener in the order in which it counts, its time and what became of it. */
export async function listeners(context: CommandContext): Promise<ExitCode> {
  await using session = await openSession(context, { pinning: 'off' })
  const { screen } = context
  const found = session.host.report().listeners.toSorted((a, b) => a.order - b.order)
  screen.data({ listeners: found })
  if (found.length === 0) screen.print('  No plugin listens. Plugins are named in "plugins" of the configuration.')
  else {
    const { paint, width } = screen
    screen.print(
      ...renderTable({
        width,
        paintTitle: paint.dim,
        columns: [
          { title: 'ORDER', align: 'right', dropOrder: 2 },
          { title: 'PLUGIN', least: 16 },
          { title: 'EVENT', dropOrder: 1 },
          { title: 'OUTCOME' },
          { title: 'MS', align: 'right' },
          { title: 'ANNOUNCED', least: 10 },
        ],
        rows: found.map(({ order, plugin, event, outcome, durationMs, announced }) => [
          String(order),
          oneLine(plugin),
          event,
          { text: outcome, paint: outcome === 'settled' ? paint.green : paint.red },
          Math.round(durationMs).toLocaleString('en'),
          announced.length === 0 ? 'nothing' : announced.map(oneLine).join(', '),
        ]),
      }),
    )
  }
  return exitCode.fine
}
