import type { ToolTraits } from '@rollcall/plugin'
import type { Taint } from '../gate/taint.ts'
import { ceilingOfZone, isWithin } from '../gate/zones.ts'
import type { CallDeps } from './call-deps.ts'
import type { Reader } from './taint-book.ts'

/**
 * What a caller has read lately, where the gate looks at it; `undefined` where it does not: the target may get everything,
 * and no rule asks.
 *
 * @throws {RollcallError} `STORE_UNAVAILABLE`.
 */
export async function readTaint(
  { taints, policy }: CallDeps,
  target: { readonly traits: ToolTraits } | undefined,
  reader: Reader,
): Promise<Taint | undefined> {
  if (target === undefined) return undefined
  const highest = policy.classes.at(-1) ?? 'secretAdjacent'
  const isOpen = isWithin(highest, ceilingOfZone(target.traits.zone, policy), policy)
  const asks = policy.rules.some(({ when }) => when.taint !== undefined || when.origin !== undefined)
  return isOpen && !asks ? undefined : await taints.read(reader)
}
