import { type Json, type JsonObject, RollcallError, redactSecrets, unmask, visibleText } from '@rollcall/plugin'
import { injectionIn, instructionsIn } from '../catalogue/injected-instructions.ts'
import { formFault } from '../catalogue/secret-fields.ts'

const maxText = 10_000
const maxDepth = 32
const maxLogBytes = 64_000

/**
 * A server's question to a person, as it is shown: under the name of who asks, with everything that hides made visible.
 *
 * @throws {RollcallError} `FEATURE_DENIED` for an address that is none of the web, for a form that asks for secrets, and for
 * one with hidden characters in the names of its fields.
 */
export function safeElicitation(appId: string, params: JsonObject): JsonObject {
  const { message, url, requestedSchema } = params
  refuseForm(appId, requestedSchema)
  const asked = typeof message === 'string' ? message : ''
  const what = firstInstruction(params)
  const flag = what === undefined ? '' : `[take care: this question has ${what}] `
  const shown = { ...(visible(params) as JsonObject), message: `${appId}: ${flag}${shownText(asked)}` }
  return url === undefined ? shown : { ...shown, url: webAddress(appId, url) }
}

/** A form is no place for secrets: what is typed there goes to the server, by way of the client and its model. */
function refuseForm(appId: string, schema: Json | undefined): void {
  const fault = formFault(schema)
  if (fault === undefined) return
  if (fault.why === 'hidden') throw refused(appId, 'has hidden characters in a form')
  throw refused(appId, `asks for a secret ("${visibleText(fault.field).slice(0, 60)}")`)
}

function refused(appId: string, what: string): RollcallError {
  return new RollcallError('FEATURE_DENIED', `${appId} ${what}, so nobody is asked.`, {
    hint: 'Secrets belong into its configuration, or on a page of its own (URL mode). Report it to its author.',
  })
}

/** What a server would have a model of the caller's read: known shapes of secrets don't leave by this door. */
export function safeSampling(params: JsonObject): JsonObject {
  return mapTexts(params, (text) => redactSecrets(text)) as JsonObject
}

/** A line of a server's log for its caller's eyes. */
export function safeLogMessage(appId: string, params: JsonObject): JsonObject {
  const logger = typeof params.logger === 'string' ? `${appId}/${shownText(params.logger).slice(0, 200)}` : appId
  const data = mapTexts(params.data ?? null, (text) => shownText(text))
  const fits = Buffer.byteLength(JSON.stringify(data)) <= maxLogBytes
  const { level } = params
  return {
    ...(typeof level === 'string' && { level }),
    logger,
    data: fits ? data : `[a log message of more than ${maxLogBytes} bytes]`,
  }
}

/** What anywhere in a question reads like instructions to a model: its form is read by one too. */
function firstInstruction(params: JsonObject): string | undefined {
  let found: string | undefined
  mapTexts(params, (text) => {
    // What is hidden in it is shown, and read along with the rest.
    found ??= injectionIn(text) ?? instructionsIn(unmask(text).plain)?.what
    return text
  })
  return found
}

function visible(value: Json): Json {
  return mapTexts(value, (text) => visibleText(redactSecrets(text)))
}

function shownText(text: string): string {
  return visibleText(redactSecrets(text)).slice(0, maxText)
}

/** In the form in which a browser shows it: a look-alike host is seen as what it is. */
function webAddress(appId: string, url: Json): string {
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  if (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') return parsed.href
  throw new RollcallError('FEATURE_DENIED', `${appId} asks to open an address that is none of the web.`, {
    hint: 'Report it to the author of the server.',
  })
}

function mapTexts(value: Json, change: (text: string) => string, depth = 0): Json {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth) return null
  if (Array.isArray(value)) return value.map((part: Json) => mapTexts(part, change, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mapTexts(part, change, depth + 1)]))
}
