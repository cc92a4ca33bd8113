import type { ToolView } from '@rollcall/host'
import type { SyncReport } from '@rollcall/mcp'
import { proposedRead, writingVerbOf } from '../proposed-read.ts'
import type { Paint } from './paint.ts'
import { oneLine } from './safe-text.ts'
import { renderTable } from './table.ts'
import { tokenEstimate } from './token-estimate.ts'

/** The tools of a server that was just added, with what is proposed about each and why. */
export function addedToolLines(
  report: SyncReport,
  views: readonly ToolView[],
  { width, paint }: { readonly width: number; readonly paint: Paint },
): readonly string[] {
  const byOriginal = new Map(views.map((view) => [view.original, view]))
  const rows = report.tools.map((tool) => {
    const view = byOriginal.get(tool.name)
    const reads = proposedRead(tool)
    return [
      oneLine(view?.name ?? tool.name),
      reads ? { text: 'read  ✓ proposed', paint: paint.green } : { text: 'write', paint: paint.yellow },
      view === undefined ? '' : tokenEstimate(view).toLocaleString('en'),
      { text: reasonOf(tool, reads), paint: paint.dim },
    ]
  })
  const columns = [
    { title: 'TOOL', least: 30 },
    { title: 'EFFECT' },
    { title: 'TOKENS', align: 'right' as const, dropOrder: 1 },
    { title: 'WHY', least: 14, dropOrder: 2 },
  ]
  return renderTable({ width, paintTitle: paint.dim, columns, rows })
}

function reasonOf(tool: { readonly name: string; readonly readOnlyHint?: boolean }, reads: boolean): string {
  if (reads) return "hint says read-only, name doesn't write"
  const verb = writingVerbOf(tool.name)
  if (tool.readOnlyHint === true && verb !== undefined) return `hint says read-only, but its name says "${verb}"`
  return tool.readOnlyHint === false ? 'hint says that it writes' : 'no hint that it only reads'
}
