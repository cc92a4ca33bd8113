const syntax = /^[a-z][a-z0-9-]{0,31}$/

/** What an appId may look like, for messages. */
export const appIdRule = 'a letter, then up to 31 letters, digits or hyphens'

/** An appId as it is compared: composed and in lower case. `undefined` for what is no appId. */
export function parseAppId(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const appId = text.normalize('NFC').toLowerCase()
  return syntax.test(appId) ? appId : undefined
}
