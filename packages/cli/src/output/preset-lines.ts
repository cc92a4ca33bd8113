import { presets } from '@rollcall/host'
import type { Paint } from './paint.ts'
import { renderTable } from './table.ts'

/** The presets as a table. */
export function presetLines({ width, paint }: { readonly width: number; readonly paint: Paint }): readonly string[] {
  return renderTable({
    width,
    paintTitle: paint.dim,
    columns: [
      { title: 'PRESET' },
      { title: 'RETURNS' },
      { title: 'READS', dropOrder: 1 },
      { title: 'WRITES', dropOrder: 1 },
      { title: 'ASKS' },
      { title: 'TYPICAL', least: 10, dropOrder: 2 },
    ],
    rows: Object.entries(presets).map(([name, preset]) => [
      name,
      preset.dataClass,
      preset.reads,
      preset.writes,
      { always: 'always', writes: 'for writes', notNeeded: 'never' }[preset.approval],
      { text: preset.typical.join(', ') || 'anything', paint: paint.dim },
    ]),
  })
}
