import { RollcallError } from '@rollcall/plugin'
import type { Catalogue, CatalogueEntry, ToolView } from '../catalogue/catalogue.ts'
import { toView } from '../catalogue/to-view.ts'
import { acceptanceKey } from '../plugins/acceptance-key.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../store/store.ts'
import { groupKey, toolKey } from './switch-keys.ts'
import type { Switches, SwitchTarget } from './switches.ts'

/** What the switches need of the host. */
export interface SwitchesContext {
  readonly store: Store
  readonly clock: Clock
  catalogue(): Catalogue
  /** Whether a plugin of that name is here, held or not. */
  hasPlugin(name: string): boolean
  /** @throws {RollcallError} when the catalogue can not be changed from here or any more. */
  assertUsable(): void
  /** Reads the rows again and puts them on the catalogue. */
  reload(): Promise<void>
}

/** Makes the switches of a host over its store. */
export function createSwitches(context: SwitchesContext): Switches {
  const flip = async (target: SwitchTarget, on: boolean, by: string): Promise<readonly ToolView[]> => {
    context.assertUsable()
    const { settings } = context.store
    const stamp = { by, at: context.clock.now() }
    if (target.kind === 'plugin') {
      if (!context.hasPlugin(target.name)) throw notFound(`plugin ${target.name}`)
      await settings.set(acceptanceKey(target.name), on ? { accepted: true, ...stamp } : null)
      return []
    }
    const tools = touched(context.catalogue(), target)
    if (target.kind === 'group') await settings.set(groupKey(target.group), on ? null : { on: false, ...stamp })
    else for (const tool of tools) await settings.set(toolKey(tool), { on, digest: tool.digest, ...stamp })
    await context.reload()
    // What went meanwhile was switched all the same.
    const { entries } = context.catalogue()
    return tools.map((tool) => toView(entries.get(tool.name) ?? tool))
  }
  return {
    enable: (target, by) => flip(target, true, by),
    disable: (target, by) => flip(target, false, by),
  }
}

function touched(catalogue: Catalogue, target: Exclude<SwitchTarget, { kind: 'plugin' }>): readonly CatalogueEntry[] {
  const tools = [...catalogue.entries.values()].filter((entry) =>
    target.kind === 'tool' ? entry.name === target.name : entry.traits.group === target.group,
  )
  if (tools.length === 0) throw notFound(target.kind === 'tool' ? target.name : `group ${target.group}`)
  return tools
}

function notFound(what: string): RollcallError {
  return new RollcallError('TOOL_NOT_FOUND', `There is no ${what} in the catalogue.`, {
    hint: 'List what there is: rollcall tools',
  })
}
