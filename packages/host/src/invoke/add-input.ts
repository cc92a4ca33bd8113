import { canonicalJson, type Json, type JsonObject } from '@rollcall/plugin'
import type { CatalogueEntry } from '../catalogue/catalogue.ts'
import { pick } from '../catalogue/person-form.ts'
import { isJsonObject } from '../catalogue/subschemas.ts'
import { parseArguments, rebuild } from './parse-arguments.ts'

/** Arguments with what a person has said, as canonical text; or what is wrong with it. */
export type WithInput = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string }

/**
 * Adds what a person has said to the arguments of a waiting call. Only what the tool asks for is taken, and it is checked
 * by the form before anything else happens.
 *
 * @param args the canonical text of what is known
 */
export function addInput(entry: CatalogueEntry, args: string, data: Json): WithInput {
  const { form } = entry
  if (form === undefined) return { ok: false, message: `${entry.name} does not ask for anything any more` }
  if (!isJsonObject(data)) return { ok: false, message: 'what was given is no object of values' }
  const said = pick(data, form.keys)
  const checked = form.parse(said)
  if (!checked.ok) return checked
  const parsed = parseArguments(entry, { ...(rebuild(args) as JsonObject), ...said })
  return parsed.ok ? { ok: true, text: parsed.text } : parsed
}

/** Back again: what was known before a person said anything, as canonical text. */
export function withoutInput(entry: CatalogueEntry, args: Json): string {
  const keys = entry.form?.keys ?? []
  return canonicalJson(Object.fromEntries(Object.entries(args as JsonObject).filter(([key]) => !keys.includes(key))))
}
