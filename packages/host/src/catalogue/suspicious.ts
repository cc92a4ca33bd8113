import { type Json, visibleText } from '@rollcall/plugin'
import type { ListedTool } from '../providers/provider.ts'
import { instructionsIn } from './injected-instructions.ts'
import { toolsNamedIn } from './tools-named.ts'

const maxShown = 120

/** What in a definition should be seen by a person before a model reads it. */
export interface Suspicion {
  /** `hidden characters`, or what the text seems to tell a model. */
  readonly what: string
  /** `description`, `/inputSchema/properties/path/description`. */
  readonly where: string
  /** The place, with escapes, at most 120 characters. */
  readonly excerpt: string
}

// Within one word, letters of these alphabets pass for Latin ones.
const mixedAlphabets =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}\p{Script=Armenian}]|[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}\p{Script=Armenian}]\p{Script=Latin}/u

/** What the texts of a definition show to whoever reads all of them. */
export interface InspectedTexts {
  /** The first thing that a person should see; absent for ordinary text. */
  readonly suspicion?: Suspicion
  /** The appIds of tools that are named: `<appId>__<tool>` anywhere. */
  readonly mentions: ReadonlySet<string>
  /** What is spoken of as a tool, by its own name. */
  readonly toolsNamed: ReadonlySet<string>
}

/** Reads the name, descriptions, titles, parameter texts and enumerations of a tool as a model would. */
export function inspectTexts(tool: Pick<ListedTool, 'name' | 'definition'>): InspectedTexts {
  const mentions = new Set<string>()
  const toolsNamed = new Set<string>()
  let suspicion = nameSuspicion(tool.name)
  for (const { where, text } of textsOf(tool)) {
    if (suspicion === undefined) {
      const found = suspicionIn(text)
      if (found !== undefined) suspicion = { ...found, where: visibleText(where).slice(0, maxShown) }
    }
    for (const named of toolsNamedIn(text)) toolsNamed.add(named)
    if (!text.includes('__')) continue
    for (const [, appId = ''] of text.matchAll(/(?<![\w-])([a-z][a-z0-9-]{0,31})__[A-Za-z0-9_-]/g)) mentions.add(appId)
  }
  return { ...(suspicion === undefined ? {} : { suspicion }), mentions, toolsNamed }
}

function nameSuspicion(name: string): Suspicion | undefined {
  if (!mixedAlphabets.test(name)) return undefined
  return { what: 'letters of two alphabets', where: 'name', excerpt: visibleText(name).slice(0, maxShown) }
}

function suspicionIn(text: string): Omit<Suspicion, 'where'> | undefined {
  const { what, found } = instructionsIn(text) ?? {}
  return what === undefined ? undefined : { what, excerpt: visibleText(found ?? '').slice(0, maxShown) }
}

interface Text {
  readonly where: string
  readonly text: string
}

function* textsOf({ name, definition }: Pick<ListedTool, 'name' | 'definition'>): Iterable<Text> {
  const { title, description, annotations, inputSchema, outputSchema } = definition
  yield { where: 'name', text: name }
  if (title !== undefined) yield { where: 'title', text: title }
  if (description !== undefined) yield { where: 'description', text: description }
  yield* textsIn(annotations ?? {}, '/annotations')
  yield* textsIn(inputSchema, '/inputSchema')
  yield* textsIn(outputSchema ?? {}, '/outputSchema')
}

/** Names too: a model reads those of parameters. */
function* textsIn(value: Json, where: string): Iterable<Text> {
  if (typeof value === 'string') yield { where, text: value }
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) {
    if (!Array.isArray(value)) yield { where: `${where}/${key}`, text: key }
    yield* textsIn(part, `${where}/${key}`)
  }
}
