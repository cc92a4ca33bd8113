import type { Finding, Guardrail } from '@rollcall/plugin'
import { nearest } from '../config/nearest.ts'
import type { AnnouncedGuardrail } from './announced-guardrail.ts'
import { optional } from './shipped/optional.ts'

/** What the operator says of guardrails: nobody else's word makes one run. */
export interface GuardrailWords {
  /** Run in this order: `<plugin>/<id>`, or one of those shipped. */
  readonly use?: readonly string[]
  /** Deny whatever they can not judge; run too. */
  readonly mandatory?: readonly string[]
}

/** A guardrail that runs. */
export interface ChosenGuardrail {
  readonly name: string
  /** The plugin whose code it is; absent for those shipped, which are bounded by being ours. */
  readonly plugin?: string
  readonly guardrail: Guardrail
  readonly isMandatory: boolean
}

/** What runs in this generation, and what is to be said about it. */
export interface Choice {
  readonly guardrails: readonly ChosenGuardrail[]
  /** Mandatory ones that nobody offers: nothing passes. */
  readonly missing: readonly string[]
  readonly findings: readonly Finding[]
}

/** Takes from what plugins announced what the operator has named; what is named and not there is a finding. */
export function chooseGuardrails(words: GuardrailWords, announced: readonly AnnouncedGuardrail[]): Choice {
  const { use = [], mandatory = [] } = words
  const findings: Finding[] = []
  const offered = new Map<string, Omit<ChosenGuardrail, 'isMandatory'>>(
    optional.map((guardrail) => [guardrail.id, { name: guardrail.id, guardrail }]),
  )
  for (const { name, plugin, guardrail } of announced) {
    if (offered.has(name)) findings.push(twice(name, plugin))
    else offered.set(name, { name, plugin, guardrail })
  }
  const isMandatory = new Set(mandatory)
  const names = [...new Set([...mandatory.filter((name) => !use.includes(name)), ...use])]
  const guardrails = names.flatMap((name) => {
    const found = offered.get(name)
    return found === undefined ? [] : [{ ...found, isMandatory: isMandatory.has(name) }]
  })
  const unknown = names.filter((name) => !offered.has(name) && !ours.has(name))
  for (const name of unknown) findings.push(notOffered(name, isMandatory.has(name), [...offered.keys()]))
  return { guardrails, missing: unknown.filter((name) => isMandatory.has(name)), findings }
}

// No matter of choice: secrets are redacted before any other guardrail reads, injected instructions are looked for after.
const ours: ReadonlySet<string> = new Set(['secret-redaction', 'prompt-injection'])

function twice(name: string, plugin: string): Finding {
  return {
    code: 'GUARDRAIL_INVALID',
    severity: 'warn',
    about: { plugin },
    phase: 'announce',
    message: `${plugin} announced the guardrail ${name} twice: the first stays, the second is dropped.`,
    hint: `Rename one of the two in ${plugin}.`,
    causes: [],
  }
}

function notOffered(name: string, isMandatory: boolean, offered: readonly string[]): Finding {
  const near = nearest(name, offered)
  const consequence = isMandatory ? 'it is mandatory, so every call is denied' : 'it does not run'
  return {
    code: 'GUARDRAIL_UNKNOWN',
    severity: 'error',
    about: {},
    phase: 'config',
    message: `There is no guardrail ${name}; ${consequence}.`,
    hint:
      near === undefined
        ? 'Correct the name under "guardrails", or add the plugin that offers it.'
        : `Did you mean ${near}? Correct the name under "guardrails".`,
    causes: [],
  }
}
