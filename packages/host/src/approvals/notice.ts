import { type Json, type JsonObject, redactSecrets } from '@rollcall/plugin'
import type { Approval } from '../invoke/outcome.ts'
import { approvalCard, type Card, type WaitingCall } from './card.ts'
import { cardText } from './card-text.ts'

/** Why somebody is told: a call begins to wait, or has waited for too long. */
export type NoticeStage = 'requested' | 'escalated'

/** What a webhook is sent about a waiting call: its card, with secrets redacted, since it leaves this machine. */
export function noticeOf(
  approval: Omit<Approval, 'pending'> & { readonly pending: WaitingCall },
  stage: NoticeStage,
  now: number,
): JsonObject {
  const { pending, principal, profile, askedAt } = approval
  const card = approvalCard(pending, { who: principal, profile })
  return {
    type: `approval.${stage}`,
    timestamp: new Date(now).toISOString(),
    data: {
      callId: pending.callId,
      principal,
      profile,
      askedAt: new Date(askedAt).toISOString(),
      expiresAt: new Date(pending.expiresAt).toISOString(),
      card: redacted(card),
      text: redactSecrets(cardText(card)),
    },
  }
}

function redacted({ tool, code, args, about, isLong }: Card): JsonObject {
  const rows = (some: Card['args']): Json => some.map((row) => row.map((part) => redactSecrets(part)))
  return { tool, code, args: rows(args), about: rows(about), isLong }
}
