import { RollcallError, redactSecrets, visibleText } from '@rollcall/plugin'
import { RefusedAddress } from './checked-lookup.ts'
import type { OutboundOptions } from './outbound-fetch.ts'

/** An error of one fetch. Nothing of an address but its host is shown. */
export function outboundFault(
  error: unknown,
  { url, by, sent }: { readonly url: URL; readonly by: OutboundOptions; readonly sent: boolean },
): RollcallError {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (reason instanceof RefusedAddress) return addressRefused(by, url.host, `leads to ${reason.why}`)
  const code = codeOf(reason)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return unavailable(`${by.name} can not be reached: the host ${url.hostname} is not known.`, {
      hint: 'Correct the address, or check the network.',
      data: { sent: false, reason: code },
    })
  }
  const what = sent ? 'The connection to' : 'No connection to'
  return unavailable(`${what} ${url.host} for ${by.name}: ${code ?? (sent ? 'lost' : 'it could not be made')}.`, {
    hint: 'Check that the server runs and that its address is right.',
    data: { sent, ...(code !== undefined && { reason: code }) },
  })
}

export function addressRefused({ name }: OutboundOptions, host: string, why: string): RollcallError {
  return new RollcallError('ADDRESS_REFUSED', shown(`${name} is not let out: ${host} ${why}.`), {
    hint: `Give it an address that may be reached. A private one is allowed in your own configuration, or by "allowPrivateNetwork".`,
    data: { sent: false },
  })
}

/** A redirect that is not followed. @param sent whether what was asked may have been done before it. */
export function redirectRefused(
  { name }: OutboundOptions,
  { to, why, sent }: { readonly to: string; readonly why: string; readonly sent: boolean },
): RollcallError {
  return unavailable(`${name} redirects to ${to}; that is not followed: ${why}.`, {
    hint: 'If that is right, write the new address into the configuration.',
    data: { sent, redirect: to },
  })
}

export function closed({ name }: OutboundOptions): RollcallError {
  return unavailable(`${name} fetches nothing any more: its host is closed.`, {
    hint: 'Make a new host.',
    data: { sent: false },
  })
}

function unavailable(message: string, options: ConstructorParameters<typeof RollcallError>[2]): RollcallError {
  return new RollcallError('SERVER_UNAVAILABLE', shown(message), options)
}

function shown(text: string): string {
  return visibleText(redactSecrets(text))
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code
  return typeof code === 'string' && /^[\w-]{1,60}$/.test(code) ? code : undefined
}
