import { createKeyBook, localUser, principalOfKey, type Store } from '@rollcall/host'
import { type Principal, RollcallError } from '@rollcall/plugin'
import type { CommandContext } from './command-context.ts'

const variable = 'ROLLCALL_KEY'

/** Whether a key is given, be it good or not. */
export function hasKey({ env }: Pick<CommandContext, 'env'>): boolean {
  return (env[variable] ?? '') !== ''
}

/**
 * Who decides here: the holder of the key in `ROLLCALL_KEY`, else the owner of this process.
 *
 * @throws {RollcallError} `KEY_INVALID` for a key that is not good, or not for deciding; `STORE_UNAVAILABLE`.
 */
export async function readDecider(store: Store, context: Pick<CommandContext, 'env'>): Promise<Principal> {
  if (!hasKey(context)) return localUser
  const key = await createKeyBook({ settings: store.settings }).find(context.env[variable] ?? '')
  if (key === undefined || !(key.admin || key.scopes.includes('runs:approve'))) {
    throw new RollcallError('KEY_INVALID', `The key in ${variable} may decide nothing.`, {
      hint: 'It must be a good key with the scope runs:approve: rollcall keys add … --scope runs:approve',
    })
  }
  return principalOfKey(key)
}
