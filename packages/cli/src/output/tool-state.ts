import type { ToolView } from '@rollcall/host'
import type { Config } from '@rollcall/host/config'

/** `off`: a person, the operator or its author wants it so. `held`: something must be looked at first. */
export type ToolState = 'ready' | 'off' | 'held'

/** How a tool stands, by its holds. */
export function toolState(tool: ToolView): ToolState {
  if (tool.holds.length === 0) return 'ready'
  return tool.holds.every(({ by }) => by === 'default' || by === 'switch') ? 'off' : 'held'
}

/** Why a tool is off or held, in a few words. */
export function holdReason(tool: ToolView, { providers }: Pick<Config, 'providers'>): string {
  const [hold] = tool.holds.toSorted((a, b) => Number(isOff(a.by)) - Number(isOff(b.by)))
  if (hold === undefined) return ''
  if (hold.by === 'default') {
    const words = providers?.[tool.appId]
    if (words?.tools?.[tool.original]?.off ?? words?.off) return 'off in the configuration'
    return tool.traits.effect === 'read' ? 'its author starts it off' : 'writes start off'
  }
  return reasons[hold.by]
}

const isOff = (by: string) => by === 'default' || by === 'switch'

const reasons = {
  switch: 'switched off',
  default: 'starts off',
  drift: 'its definition changed',
  new: 'not accepted yet',
  launchChanged: 'its server is started otherwise',
  noPreset: 'its server has no preset',
  suspicious: 'suspicious text',
  needsSecret: 'a secret is missing',
  needsLogin: 'a login is missing',
  noConnector: 'nothing connects to its server',
}
