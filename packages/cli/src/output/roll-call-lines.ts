import type { ProviderReport } from '@rollcall/host'
import type { Paint } from './paint.ts'
import { oneLine } from './safe-text.ts'
import { renderTable } from './table.ts'

/** The table of the roll: who answered, how, with how many tools. */
export function rollCallLines(
  providers: readonly ProviderReport[],
  options: { readonly width: number; readonly paint: Paint },
): readonly string[] {
  const { paint, width } = options
  return renderTable({
    width,
    paintTitle: paint.dim,
    columns: [
      { title: 'PROVIDER' },
      { title: 'HOW', dropOrder: 1 },
      { title: 'STATE' },
      { title: 'TOOLS', align: 'right' },
      { title: 'MS', align: 'right', dropOrder: 2 },
      { title: 'FROM', least: 12 },
    ],
    rows: providers.map((provider) => [
      oneLine(provider.appId),
      provider.state === 'failed' ? '–' : provider.source,
      { text: provider.state, paint: statePaint(provider.state, paint) },
      provider.tools.toLocaleString('en'),
      Math.round(provider.durationMs).toLocaleString('en'),
      { text: oneLine(placeOf(provider)), paint: paint.dim },
    ]),
  })
}

function statePaint(state: ProviderReport['state'], paint: Paint): (text: string) => string {
  if (state === 'active') return paint.green
  if (state === 'failed' || state === 'rejected') return paint.red
  return paint.yellow
}

/** A plugin that answered is named by package and version, one that did not by where it was looked for. */
function placeOf({ plugin, version, source, state, from }: ProviderReport): string {
  const isPackage = source === 'announced' || source === 'legacy'
  if (!isPackage || (state !== 'active' && state !== 'degraded' && state !== 'held')) return from
  return `${plugin} ${version}${/ → .*$| \([^)]*\)$/.exec(from)?.[0] ?? ''}`
}
