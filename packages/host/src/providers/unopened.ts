import { RollcallError } from '@rollcall/plugin'
import type { OpenProvider } from './provider.ts'

const connectHint = 'Pass the connector: createHost({ connectMcp: createMcp({ … }).connect })'

/** Stands for a provider that this host can't open: nothing is listed, and the hold says what is missing. */
export function unopened(hint: string = connectHint): OpenProvider {
  return {
    list: async () => ({ tools: [], holds: [{ by: 'noConnector', hint }], findings: [], detail: 'mcp, not connected' }),
    call: async () => {
      throw new RollcallError('SERVER_UNAVAILABLE', 'The provider is not connected.', { hint })
    },
    async [Symbol.asyncDispose]() {},
  }
}
