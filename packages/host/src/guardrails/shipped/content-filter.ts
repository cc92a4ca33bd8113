import type { Guardrail } from '@rollcall/plugin'

// How the vendors say that their own filter stopped the model, in the words of their APIs.
const filtered =
  /^(?:content[_-]?filter(?:ed)?|safety|refusal|prohibited_content|blocklist|recitation|spii|guardrail_intervened)$/i

/** Denies an output at which the vendor's own filter stopped the model: half an answer is not passed on as a whole one. */
export const contentFilter: Guardrail = {
  id: 'content-filter',
  output: (_text, { finishReason }) =>
    finishReason !== undefined && filtered.test(finishReason)
      ? { verdict: 'deny', reason: 'the filter of the model stopped it' }
      : { verdict: 'allow' },
}
