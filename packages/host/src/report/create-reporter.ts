import type { Finding, Logger } from '@rollcall/plugin'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { ListenerReport } from '../events/collect.ts'
import type { GatePolicy } from '../gate/policy.ts'
import type { Report } from './report.ts'
import { unmatchedRules } from './unmatched-rules.ts'

const maxNotes = 100

/** Says what answered the roll, and remembers what was noticed between two generations. */
export interface Reporter {
  report(): Report
  /** The report as it would be for another catalogue and other listeners. */
  reportOn(catalogue: Catalogue, listeners: readonly ListenerReport[]): Report
  /** What the last dispatch heard. */
  heard(listeners: readonly ListenerReport[]): void
  /** Adds a finding that came too late for its generation. A repeated one is kept and logged once. */
  note(finding: Finding): void
  /** Forgets what was noticed about a plugin, or about all: they are asked anew, or gone. */
  forget(plugin?: string): void
}

/** Makes the reporter of a host. */
export function createReporter({
  generations,
  logger,
  policy,
}: {
  readonly generations: { current(): Catalogue }
  readonly logger: Logger
  readonly policy: GatePolicy
}): Reporter {
  const notes = new Map<string, Finding>()
  let listeners: readonly ListenerReport[] = []
  const reportOn: Reporter['reportOn'] = (catalogue, heard) => ({
    generation: catalogue.generation,
    providers: catalogue.providers,
    findings: [...catalogue.findings, ...unmatchedRules(catalogue, policy), ...notes.values()],
    listeners: heard,
  })
  return {
    report: () => reportOn(generations.current(), listeners),
    reportOn,
    heard(fresh) {
      listeners = fresh
    },
    note(finding) {
      const key = JSON.stringify([finding.code, finding.about, finding.message])
      if (notes.has(key) || notes.size >= maxNotes) return
      notes.set(key, finding)
      logger.warn(finding.message, { code: finding.code, ...finding.about })
    },
    forget(plugin) {
      for (const [key, { about }] of notes) if (plugin === undefined || about.plugin === plugin) notes.delete(key)
    },
  }
}
