import { createHash } from 'node:crypto'
import type { Host, ToolView, Who } from '@rollcall/host'
import { type JsonObject, type Logger, ToolsChanged } from '@rollcall/plugin'
import { toPublishedTool } from './to-published-tool.ts'

/** What one consumer sees of one generation of tools. */
export interface Shelf {
  /** As MCP clients see them, in a stable order. */
  readonly tools: readonly JsonObject[]
  readonly names: ReadonlySet<string>
  /** Equal for equal lists. */
  readonly fingerprint: string
  /** How many tools of the catalogue this consumer does not see. */
  readonly hidden: number
}

/** The shelves of all consumers, made once for each list of the host and shared by their sessions. */
export interface ToolShelves extends Disposable {
  shelf(who: Who): Shelf
  /** Calls back some time after the catalogue changed, once for changes in quick succession. @returns the undo. */
  onChanged(listener: () => void): () => void
}

const debounceMs = 100

export function createToolShelves(host: Host, logger: Logger): ToolShelves {
  // The host gives one and the same list as long as nothing changes for a consumer.
  const shelves = new WeakMap<readonly ToolView[], Shelf>()
  const listeners = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined

  const off = host.on(ToolsChanged, () => {
    timer ??= setTimeout(() => {
      timer = undefined
      for (const listener of [...listeners]) listener()
    }, debounceMs).unref()
  })

  return {
    shelf(who) {
      const views = host.tools.list(who)
      const known = shelves.get(views)
      if (known !== undefined) return known
      const made = makeShelf(views, host.tools.all().length, logger)
      shelves.set(views, made)
      return made
    },
    onChanged(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    [Symbol.dispose]() {
      off()
      clearTimeout(timer)
      listeners.clear()
    },
  }
}

function makeShelf(views: readonly ToolView[], all: number, logger: Logger): Shelf {
  const tools: JsonObject[] = []
  for (const view of views) {
    const tool = toPublishedTool(view)
    if (tool !== undefined) tools.push(tool)
    else logger.warn('Left a tool out of the list: clients would refuse its definition.', { tool: view.name })
  }
  return {
    tools,
    names: new Set(views.map((view) => view.name)),
    fingerprint: createHash('sha256').update(JSON.stringify(tools)).digest('hex'),
    hidden: Math.max(0, all - tools.length),
  }
}
