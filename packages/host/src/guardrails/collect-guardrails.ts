import { type Finding, type Guardrail, RegisterGuardrailsEvent } from '@rollcall/plugin'
import type { ListenerReport } from '../events/collect.ts'
import { type Asked, type GatherOptions, gather } from '../events/gather.ts'
import type { AnnouncedGuardrail } from './announced-guardrail.ts'
import { checkGuardrail } from './check-guardrail.ts'

/** What plugins announced, by configuration order. */
export interface CollectedGuardrails {
  readonly guardrails: readonly AnnouncedGuardrail[]
  readonly findings: readonly Finding[]
  readonly listeners: readonly ListenerReport[]
}

/**
 * Asks plugins what guardrails they offer. A fault costs the plugin its guardrails and no more: its tools stand. Never
 * rejects.
 */
export async function collectGuardrails(options: GatherOptions): Promise<CollectedGuardrails> {
  const { items, findings, listeners, failures } = await gather(guardrails, options)
  return { guardrails: items, findings: [...failures.map(({ finding }) => finding), ...findings], listeners }
}

const guardrails: Asked<Guardrail, AnnouncedGuardrail> = {
  event: RegisterGuardrailsEvent,
  noun: 'a guardrail',
  lost: 'guardrails',
  tooSlow: 'Announce at once and do slow work when the guardrail is asked, or raise "pluginTimeoutMs".',
  accept: (given, { name, order }) => {
    const guardrail = checkGuardrail(given, name)
    return { name: `${name}/${guardrail.id}`, plugin: name, order, guardrail }
  },
  nameOf: ({ guardrail }) => guardrail.id,
}
