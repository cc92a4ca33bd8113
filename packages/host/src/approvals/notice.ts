import { type Json, type JsonObject, redactSecrets } from '@rollcall/plugin'
import type { Approval, Pending } from '../invoke/outcome.ts'
import { approvalCard, argumentRows, type Card, type CardRow, shownText } from './card.ts'
import { cardText } from './card-text.ts'
import { formText } from './form-text.ts'

/** Why somebody is told: a call begins to wait, or has waited for too long. */
export type NoticeStage = 'requested' | 'escalated'

/** What a webhook may be told of. */
export type ToldCall = Exclude<Pending, { kind: 'unknown' }>

/** What a webhook is sent about a waiting call, with secrets redacted, since it leaves this machine. */
export function noticeOf(
  approval: Omit<Approval, 'pending'> & { readonly pending: ToldCall },
  stage: NoticeStage,
  now: number,
): JsonObject {
  const { pending, principal, profile, askedAt } = approval
  return {
    type: `${pending.kind}.${stage}`,
    timestamp: new Date(now).toISOString(),
    data: {
      callId: pending.callId,
      principal,
      profile,
      askedAt: new Date(askedAt).toISOString(),
      expiresAt: new Date(pending.expiresAt).toISOString(),
      ...(pending.kind === 'input' ? formOf(pending) : cardOf(approvalCard(pending, { who: principal, profile }))),
    },
  }
}

function cardOf(card: Card): JsonObject {
  const { tool, code, args, about, isLong } = card
  const shown = { tool, code, args: redacted(args), about: redacted(about), isLong }
  return { card: shown, text: redactSecrets(cardText(card)) }
}

function formOf(pending: Extract<Pending, { kind: 'input' }>): JsonObject {
  const asks = Object.keys((pending.schema.properties ?? {}) as JsonObject).map(shownText)
  const shown = { tool: shownText(pending.tool), args: redacted(argumentRows(pending.args)), asks }
  return { form: shown, text: redactSecrets(formText(pending)) }
}

function redacted(rows: readonly CardRow[]): Json {
  return rows.map((row) => row.map((part) => redactSecrets(part)))
}
