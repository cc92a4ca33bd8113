import { type Finding, type GuardrailContext, type GuardrailStage, redactSecrets, visibleText } from '@rollcall/plugin'
import type { Clock } from '../ports/clock.ts'
import { applyRanges, type LabelledRange } from './apply-ranges.ts'
import { askGuardrail, type Judged, readVerdict } from './ask-guardrail.ts'
import type { Choice, ChosenGuardrail } from './choose-guardrails.ts'

/** What a check is about, apart from the text. */
export type CheckContext = Omit<GuardrailContext, 'stage' | 'signal'> & {
  readonly signal?: AbortSignal
  /** The model has been told to try again once: it is not told twice. */
  readonly hasRetried?: boolean
}

/** What the guardrails of a stage say together. */
export interface Checked {
  /** The strictest of all. */
  readonly verdict: 'allow' | 'redact' | 'ask' | 'retry' | 'deny'
  /** The texts with all redactions. Of no use where the verdict denies. */
  readonly texts: readonly string[]
  /** In words for the caller, each with the guardrail's name. */
  readonly reasons: readonly string[]
  /** For a model that is to try again. */
  readonly hint?: string
  /** Who said anything but allow. */
  readonly guardrails: readonly string[]
}

/** The one engine of guardrails: of tool calls, and of what a model is told and says. */
export interface Guardrails {
  /** Whether anybody is asked at a stage. */
  watches(stage: GuardrailStage): boolean
  /**
   * Puts texts before the guardrails of a stage, one after another; the redactions of each are what the next one reads,
   * and of what a model is told or says secrets are redacted before any of them.
   * Never rejects: a guardrail that can not judge denies if it is mandatory, and is passed over otherwise.
   */
  check(stage: GuardrailStage, texts: readonly string[], context: CheckContext): Promise<Checked>
  /** Takes these from now on. */
  use(choice: Choice): void
}

const strictness = ['allow', 'redact', 'ask', 'retry', 'deny'] as const

/** Makes the engine; until it is told what to use, it uses nothing. */
export function createGuardrails({
  clock,
  onFinding,
}: {
  readonly clock: Clock
  onFinding(finding: Finding): void
}): Guardrails {
  let choice: Choice = { guardrails: [], missing: [], findings: [] }

  const judge = async (chosen: ChosenGuardrail, stage: GuardrailStage, text: string, context: CheckContext) => {
    const { guardrail, plugin, isMandatory, name } = chosen
    const check = guardrail[stage]
    if (check === undefined) return { verdict: 'allow' } as const
    const { hasRetried: _, ...about } = context
    const judged =
      plugin === undefined
        ? readVerdict(guardrail.id, await check(text, { ...about, stage, signal: neverAborted }), text.length)
        : await askGuardrail(guardrail.id, check, text, { ...about, stage }, clock)
    if (judged.verdict !== 'fault') return judged
    // A call that was cancelled is no fault of the guardrail's.
    if (context.signal?.aborted !== true) onFinding(failed(chosen, judged.message))
    return isMandatory
      ? ({ verdict: 'deny', reason: `${name} is mandatory and could not judge` } as const)
      : ({ verdict: 'allow' } as const)
  }

  return {
    use(next) {
      choice = next
    },
    watches: (stage) =>
      isOfModel(stage) ||
      choice.missing.length > 0 ||
      choice.guardrails.some(({ guardrail }) => guardrail[stage] !== undefined),
    async check(stage, texts, context) {
      const { guardrails, missing } = choice
      if (missing.length > 0)
        return {
          verdict: 'deny',
          texts: [],
          reasons: missing.map((name) => `${name} is mandatory and missing`),
          guardrails: missing,
        }
      // A result has been redacted whole by then, with what only its structure tells; arguments are never rewritten.
      let current = isOfModel(stage) ? texts.map((text) => redactSecrets(text)) : texts
      const hadSecrets = current.some((text, index) => text !== texts[index])
      let verdict: Checked['verdict'] = hadSecrets ? 'redact' : 'allow'
      let hint: string | undefined
      const reasons: string[] = []
      const spoke: string[] = hadSecrets ? ['secret-redaction'] : []
      for (const chosen of guardrails) {
        if (chosen.guardrail[stage] === undefined) continue
        const judged = settle(await judge(chosen, stage, current.join('\n'), context), stage, context)
        if (judged.verdict === 'allow') continue
        spoke.push(chosen.name)
        if (strictness.indexOf(judged.verdict) > strictness.indexOf(verdict)) verdict = judged.verdict
        if (judged.verdict === 'redact') current = redact(current, judged.ranges)
        else if (judged.verdict === 'retry') hint = shown(judged.hint)
        else reasons.push(judged.reason === '' ? chosen.name : `${chosen.name}: ${shown(judged.reason)}`)
        if (judged.verdict === 'deny') break
      }
      return { verdict, texts: current, reasons, guardrails: spoke, ...(hint !== undefined && { hint }) }
    },
  }
}

function isOfModel(stage: GuardrailStage): boolean {
  return stage === 'input' || stage === 'output'
}

const neverAborted = new AbortController().signal

type Settled = Exclude<Judged, { verdict: 'fault' }>

/** A verdict that a stage has no use for is a denial. */
function settle(judged: Settled, stage: GuardrailStage, { hasRetried }: CheckContext): Settled {
  if (judged.verdict === 'retry' && hasRetried === true)
    return { verdict: 'deny', reason: judged.hint === '' ? 'it was tried again already' : judged.hint }
  if (judged.verdict === 'redact' && stage === 'toolArguments')
    return { verdict: 'deny', reason: 'it would redact them, and arguments are never rewritten' }
  return judged
}

/** Ranges count over all texts, a line end between two of them. */
function redact(texts: readonly string[], ranges: readonly LabelledRange[]): readonly string[] {
  let offset = 0
  return texts.map((text) => {
    const from = offset
    offset += text.length + 1
    const own = ranges.flatMap(({ start, end, label }) => {
      const inside = { start: Math.max(start - from, 0), end: Math.min(end - from, text.length), label }
      return inside.start < inside.end ? [inside] : []
    })
    return own.length === 0 ? text : applyRanges(text, own)
  })
}

function shown(words: string): string {
  return visibleText(redactSecrets(words)).replace(/\s+/g, ' ')
}

function failed({ name, plugin, isMandatory }: ChosenGuardrail, message: string): Finding {
  return {
    code: 'GUARDRAIL_FAILED',
    severity: isMandatory ? 'error' : 'warn',
    about: plugin === undefined ? {} : { plugin },
    phase: 'serve',
    message: `The guardrail ${name} could not judge, so ${isMandatory ? 'it denies' : 'it was passed over'}: ${message}`,
    hint: `The fault lies in ${plugin ?? 'Rollcall'}; its author needs this message.`,
    causes: [],
  }
}
