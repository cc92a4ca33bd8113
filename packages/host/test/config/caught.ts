import { isRollcallError, type RollcallError } from '@rollcall/plugin'

/** The Rollcall error that an action ends in; anything else fails the test. */
export async function caught(action: () => unknown): Promise<RollcallError> {
  try {
    await action()
  } catch (error) {
    if (isRollcallError(error)) return error
    throw error
  }
  throw new TypeError('Nothing was thrown.')
}

/** Path and message of each fault of a `CONFIG_INVALID`. */
export function faultsIn(error: RollcallError): Readonly<Record<string, string>> {
  const faults = error.data?.faults as unknown as readonly { readonly path: string; readonly message: string }[]
  return Object.fromEntries(faults.map(({ path, message }) => [path, message]))
}
