import { RollcallError } from '@rollcall/plugin'
import { tellWaiting } from './approvals/tell-waiting.ts'
import { type Checkpoints, keepCheckpoints } from './audit/keep-checkpoints.ts'
import { keepDays } from './audit/keep-days.ts'
import { createSinks } from './audit/sinks/create-sinks.ts'
import { feedSinks } from './audit/sinks/feed-sinks.ts'
import type { HostOptions } from './host-options.ts'
import type { CallDeps } from './invoke/call-deps.ts'
import type { OutboundFetch } from './outbound/outbound-fetch.ts'
import { createSendToSocket } from './outbound/send-to-socket.ts'

/** What goes on beside the calls of a host. */
export interface Upkeep {
  /** Has those told who are told of waiting calls, without anybody looking for them. */
  tellNow(): void
  /** Vouches for the last events of this process. */
  end(): Promise<void>
}

/**
 * Begins what a host does beside calls, as far as its options want any of it, until its signal aborts: webhooks are told
 * of waiting calls, the audit is vouched for, sent on and cut.
 */
export function beginUpkeep(
  deps: CallDeps,
  { auditKey: key, audit = {}, resolveSecret = noSecret }: HostOptions,
  fetch: OutboundFetch,
): Upkeep {
  const { store, clock, logger, signal, profiles } = deps
  const { keepDays: days, content = 'none', sinks = [] } = audit
  const tells = [...profiles.values()].some(({ approvals }) => approvals?.notify !== undefined)
  const tellNow = tells ? tellWaiting({ deps, fetch, resolveSecret }) : () => {}
  if (key !== undefined && days !== undefined) keepDays({ store, key, days, clock, logger, signal })
  if (sinks.length > 0) {
    const parts = { fetch, sendToSocket: createSendToSocket(), resolveSecret, clock }
    feedSinks({ store, sinks: createSinks(sinks, parts), content: content !== 'none', clock, logger, signal })
  }
  const checkpoints: Checkpoints | undefined = key && keepCheckpoints({ store, key, clock, logger, signal })
  return { tellNow, end: async () => await checkpoints?.write() }
}

const noSecret = (): Promise<string> =>
  Promise.reject(
    new RollcallError('SECRET_MISSING', 'The host was given nothing that reads secrets.', {
      hint: 'Give createHost a resolveSecret, or make its options with toHostOptions.',
    }),
  )
