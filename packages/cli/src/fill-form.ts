import { type Pending, shownText } from '@rollcall/host'
import { canonicalJson, type Json, type JsonObject } from '@rollcall/plugin'
import type { CommandContext } from './command-context.ts'
import { parseArguments } from './parse-arguments.ts'

type WaitingForm = Extract<Pending, { kind: 'input' }>

/**
 * Asks the person at this terminal for each value of a form. What is left empty is not given.
 *
 * @returns `undefined` when the person left
 */
export async function fillForm(call: WaitingForm, { screen, prompts }: CommandContext): Promise<Json | undefined> {
  const known = Object.entries(call.args as JsonObject)
  screen.complain(
    '',
    `  ${screen.notePaint.bold(shownText(call.tool))} asks a person.`,
    ...known.map(([key, value]) => `    ${shownText(key)}: ${shownText(canonicalJson(value))}`),
  )
  const { properties, required } = call.schema
  const needed = Array.isArray(required) ? required : []
  const words: string[] = []
  for (const [key, schema] of Object.entries((properties ?? {}) as JsonObject)) {
    const { description, title, enum: values } = schema as JsonObject
    const about = [title, description].find((text) => typeof text === 'string') ?? ''
    const among = Array.isArray(values) ? ` (${values.map(String).join(', ')})` : ''
    const optional = needed.includes(key) ? '' : ' · may be left empty'
    const label = about === '' ? key : `${key} ${String(about)}`
    const text = await prompts.text(shownText(`${label}${among}${optional}`))
    if (text === undefined) return undefined
    if (text !== '') words.push(`${key}=${text}`)
  }
  return parseArguments(words, call.schema)
}
