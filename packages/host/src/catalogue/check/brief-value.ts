import { type Json, redactSecrets, visibleText } from '@rollcall/plugin'

const maxLength = 80
// A secret is told by more than what is shown: this much is looked at.
const maxRead = 400

/**
 * A value as a message may show it: redacted, with hidden characters escaped, at most 80 characters; what is longer is
 * only described. `bare` cuts a text and leaves the quotes out.
 */
export function briefValue(value: Json, style: 'json' | 'bare' = 'json'): string {
  if (style === 'bare' && typeof value === 'string') return cut(visibleText(redactSecrets(value.slice(0, maxRead))))
  if (typeof value === 'string') {
    return value.length > maxLength ? `a text of ${value.length} characters` : safe(JSON.stringify(value))
  }
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  return String(value)
}

function safe(text: string): string {
  return cut(visibleText(redactSecrets(text)))
}

function cut(text: string): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
