import { redactSecrets, visibleText } from '@rollcall/plugin'

const maxMessageLength = 2_000
const maxCauses = 8
// Read before redaction, so that a huge message costs no time and a secret is not cut in two within what is shown.
const maxReadLength = 64_000

/** Readable words for anything that was thrown: redacted, escaped and bounded. */
export interface ThrownDescription {
  /** At most 2,000 characters, never empty. */
  readonly message: string
  /** At most eight messages of the chain of causes, outermost first. */
  readonly causes: readonly string[]
}

/** Describes whatever was thrown, also what is no error, has throwing getters or is its own cause. Never throws. */
export function describeThrown(error: unknown): ThrownDescription {
  const causes: string[] = []
  const seen = new Set<unknown>([error])
  const queue = causesOf(error)
  for (let cause = queue.shift(); cause !== undefined && causes.length < maxCauses; cause = queue.shift()) {
    if (seen.has(cause.thrown)) continue
    seen.add(cause.thrown)
    causes.push(messageOf(cause.thrown))
    queue.unshift(...causesOf(cause.thrown))
  }
  return { message: messageOf(error), causes }
}

// Wrapped, because `null` and `undefined` are causes too.
function causesOf(error: unknown): { readonly thrown: unknown }[] {
  if (!isObject(error)) return []
  const cause = attempt(() => ('cause' in error ? [{ thrown: error.cause }] : []), [])
  const errors = attempt(() => ('errors' in error ? listed(error.errors) : []), [])
  return [...cause, ...errors].filter(({ thrown }) => thrown !== undefined)
}

function listed(errors: unknown): { readonly thrown: unknown }[] {
  return Array.isArray(errors) ? errors.slice(0, maxCauses).map((thrown: unknown) => ({ thrown })) : []
}

function messageOf(error: unknown): string {
  const raw = attempt(() => rawMessageOf(error), 'threw something that can not be described')
  const text = visibleText(redactSecrets(raw.slice(0, maxReadLength)))
  return text.length <= maxMessageLength
    ? text
    : `${text.slice(0, maxMessageLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function rawMessageOf(error: unknown): string {
  if (typeof error === 'string') return error.trim() === '' ? 'threw an empty text' : error
  if (!isObject(error)) return `threw ${String(error)}`
  const { message, name, code } = error as { message?: unknown; name?: unknown; code?: unknown }
  if (typeof message === 'string' && message.trim() !== '') return message
  const labels = [name, code].filter((label) => typeof label === 'string' && label !== '')
  if (labels.length > 0) return labels.join(' ')
  return typeof error === 'function' ? 'threw a function' : `threw ${JSON.stringify(error) ?? 'an object'}`
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

/** Reading a foreign object runs its getters, and those may throw. */
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
