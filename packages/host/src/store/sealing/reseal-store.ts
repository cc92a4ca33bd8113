import { RollcallError } from '@rollcall/plugin'
import type { Store } from '../store.ts'
import type { StoreRow } from '../store-row.ts'
import { fromStoredJson, toStoredJson } from '../stored-json.ts'
import { retireKeys } from './enroll-keys.ts'
import { isSealed, keyIdOf, rewrap, type SealedPlace, seal } from './envelope.ts'
import type { KeyRing } from './key-ring.ts'
import { blobPlace, fromColumn, settingPlace, toColumn, workingPlace } from './sealed-columns.ts'
import { sealingOf } from './sealing-table.ts'

/** What became of the values of a store that belong under the current key. */
export interface Resealed {
  /** Sealed by it now, which were in clear or under a former key before. */
  readonly changed: number
  /** Sealed by it before. */
  readonly kept: number
}

const maxPasses = 10

/**
 * Brings every value that is to be sealed under the current key of the ring: those of former keys get theirs wrapped anew,
 * what lies in clear is sealed. Each row is changed by itself and only as it was read, so that others go on using the
 * store, and a run that was broken off is taken up by the next one.
 *
 * @param store as it is opened, not sealed
 * @returns what was done; from then on the former keys open nothing any more
 * @throws {RollcallError} `KEY_UNKNOWN`, `STORE_TAMPERED` for a value that can't be opened: it is left as it is, and what
 * was done before stays done; `STORE_UNAVAILABLE`.
 */
export async function resealStore(
  store: Store,
  ring: KeyRing,
  onChanged: (changed: number) => void = () => {},
): Promise<Resealed> {
  let changed = 0
  for (let pass = 1; ; pass += 1) {
    let kept = 0
    let missed = 0
    for await (const row of store.rows.dump()) {
      const wish = resealed(row, ring)
      if (wish === undefined) continue
      if (wish === 'kept') kept += 1
      else if (await store.rows.replace(row, wish)) {
        changed += 1
        onChanged(changed)
      }
      // It went on since it was read: by a program that has the current key, or the next pass finds it.
      else missed += 1
    }
    if (missed === 0 && (await retireKeys(store, ring))) return { changed, kept }
    if (pass === maxPasses) throw notDone()
  }
}

function notDone(): RollcallError {
  return new RollcallError('STORE_UNAVAILABLE', 'Others change the store as fast as it is sealed: not all is done.', {
    hint: 'Run it again when less is going on, and when nobody uses a former key any more. What was done stays done.',
  })
}

/** The value that a row is to have; `undefined`: nothing of it is sealed. */
function resealed(row: StoreRow, ring: KeyRing): string | 'kept' | undefined {
  switch (row.table) {
    case 'heads':
      return row.working === null ? undefined : ofText(row.working, workingPlace(row.stream), row.length, ring)
    case 'settings':
      return row.value === null || sealingOf(row.key) !== 'sealed'
        ? undefined
        : ofText(row.value, settingPlace(row.key), row.version, ring)
    case 'blobs':
      return ofBlob(Buffer.from(row.bytes, 'base64'), blobPlace(row.digest, row.principal), ring)
    default:
      return undefined
  }
}

function ofText(text: string, place: SealedPlace, version: number, ring: KeyRing): string {
  const sealed = fromColumn(fromStoredJson(text))
  if (sealed === undefined) return toStoredJson(toColumn(seal(ring, place, version, Buffer.from(text))))
  return keyIdOf(sealed) === ring.current.id ? 'kept' : toStoredJson(toColumn(rewrap(ring, place, sealed)))
}

function ofBlob(bytes: Buffer, place: SealedPlace, ring: KeyRing): string {
  if (!isSealed(bytes)) return seal(ring, place, 1, bytes).toString('base64')
  return keyIdOf(bytes) === ring.current.id ? 'kept' : rewrap(ring, place, bytes).toString('base64')
}
