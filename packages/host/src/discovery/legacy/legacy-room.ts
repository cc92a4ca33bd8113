import type { LegacyRoom } from '../legacy-room.ts'
import { createContainer } from './create-container.ts'
import { openLegacy } from './open-legacy.ts'
import { createScan } from './scan.ts'

/** All that a host needs to run unmigrated plugins. A host that is made without it runs all others. */
export const legacyRoom: LegacyRoom = {
  createContainer,
  createScan: (options) => createScan(options),
  open: openLegacy,
}
