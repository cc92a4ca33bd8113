import { type CallerPort, localClient } from '@rollcall/host'
import type { JsonObject } from '@rollcall/plugin'
import type { Answering, ClientRequest } from '../../src/serve/client-request.ts'

/** Asks as a client of the profile `default` does that can be asked nothing. */
export function ask(
  answering: Answering,
  method: string,
  params: JsonObject = {},
  more: Partial<ClientRequest> & { readonly capabilities?: JsonObject } = {},
): Promise<JsonObject> {
  const { capabilities = {}, ...rest } = more
  const caller: CallerPort = { capabilities }
  return answering.answer({
    method,
    params,
    principal: localClient,
    profile: 'default',
    client: { session: 's', name: 'tester' },
    caller,
    signal: new AbortController().signal,
    ...rest,
  })
}
