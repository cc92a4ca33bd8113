import type { ToolTraits } from '@rollcall/plugin'
import { type Taint, untainted } from '../gate/taint.ts'
import { ceilingOfZone, isWithin } from '../gate/zones.ts'
import type { CallDeps } from './call-deps.ts'
import type { Reader } from './taint-book.ts'

/**
 * What a caller has read lately, where the gate looks at it: the store is not asked for a target that may get everything.
 *
 * @throws {RollcallError} `STORE_UNAVAILABLE`.
 */
export async function readTaint(
  { taints, policy }: CallDeps,
  target: { readonly traits: ToolTraits } | undefined,
  reader: Reader,
): Promise<Taint> {
  if (target === undefined) return untainted
  const highest = policy.classes.at(-1) ?? 'secretAdjacent'
  const isOpen = isWithin(highest, ceilingOfZone(target.traits.zone, policy), policy)
  const asks = policy.rules.some(({ when }) => when.taint !== undefined || when.origin !== undefined)
  return isOpen && !asks ? untainted : await taints.read(reader)
}
