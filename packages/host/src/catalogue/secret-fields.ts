import { hasHiddenCharacters, type Json, type JsonObject } from '@rollcall/plugin'

const secretNames =
  /\b(pass(word|phrase|code)|secret|(api|access|private|signing)[ _-]?key|token|credentials?|pin|cvv|otp)\b/i

/** Prose may warn of giving secrets away; what asks for one says what to do with it. */
const secretWishes =
  /\b(enter|provide|type|paste|submit)\b.{0,40}\b(pass(word|phrase)|(api|access|auth|private) ?(key|token))\b/i

/** What is wrong with a form that a person is to fill in: it is no place for secrets, and hides nothing. */
export type FormFault = { readonly why: 'hidden' } | { readonly why: 'secret'; readonly field: string }

/** Looks through the fields of a form. */
export function formFault(schema: Json | undefined): FormFault | undefined {
  const { properties } = membersOf(schema)
  for (const [name, field] of Object.entries(membersOf(properties))) {
    if (hasHiddenCharacters(name) || /\p{Cc}/u.test(name)) return { why: 'hidden' }
    const { title, description, format } = membersOf(field)
    // Words that are written together count as words.
    const names = [name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' '), title]
    const asks =
      names.some((text) => typeof text === 'string' && secretNames.test(text)) ||
      (typeof description === 'string' && secretWishes.test(description))
    if (asks || format === 'password') return { why: 'secret', field: name }
  }
  return undefined
}

function membersOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
