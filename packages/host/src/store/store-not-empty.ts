import { RollcallError } from '@rollcall/plugin'

/** What a store answers that is to be filled and holds something. */
export function storeNotEmpty(): RollcallError {
  return new RollcallError('STORE_NOT_EMPTY', 'A backup is restored into an empty store only, and this one has rows.', {
    hint: 'Set `store` in the configuration to a new file or database, then restore into that.',
  })
}
