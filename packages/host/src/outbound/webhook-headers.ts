import { createHmac } from 'node:crypto'

/**
 * The headers of one message to a webhook, by Standard Webhooks: whoever has the secret can tell that it is ours and fresh.
 *
 * @param message.id the same at each try, so that the receiver can tell a repeat
 * @param message.at milliseconds since the epoch
 * @param secret `whsec_` and base64, or any text; absent: it is not signed
 * @see https://www.standardwebhooks.com
 */
export function webhookHeaders(
  message: { readonly id: string; readonly at: number; readonly body: string },
  secret: string | undefined,
): Readonly<Record<string, string>> {
  const { id, at, body } = message
  const timestamp = String(Math.floor(at / 1000))
  const plain = { 'content-type': 'application/json', 'webhook-id': id, 'webhook-timestamp': timestamp }
  if (secret === undefined) return plain
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { ...plain, 'webhook-signature': `v1,${signature}` }
}
