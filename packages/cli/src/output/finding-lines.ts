import type { Finding } from '@rollcall/plugin'
import type { Paint } from './paint.ts'
import { oneLine, widthOf } from './safe-text.ts'
import { wrap } from './wrap.ts'

/** A finding for a person: mark, who, what happened, the code at the right, and below what to do about it. */
export function findingLines(
  finding: Finding,
  options: { readonly width: number; readonly paint: Paint; readonly causes?: boolean },
): readonly string[] {
  const { width, paint } = options
  const who = finding.about.tool ?? finding.about.appId ?? finding.about.plugin
  const message = oneLine(finding.message)
  const text = who === undefined || message.startsWith(who) ? message : `${oneLine(who)}: ${message}`
  const room = width - 4
  const lines = wrap(text, Math.max(40, room - finding.code.length - 2))
  const [first = '', ...rest] = lines
  const blanks = ' '.repeat(Math.max(2, room - widthOf(first) - finding.code.length))
  const causes = options.causes ? finding.causes.map((cause) => `cause: ${oneLine(cause)}`) : []
  return [
    `  ${marks[finding.severity](paint)} ${first}${blanks}${paint.dim(finding.code)}`,
    ...rest.map((line) => `    ${line}`),
    ...causes.flatMap((cause) => wrap(cause, room)).map((line) => `    ${paint.dim(line)}`),
    ...wrap(oneLine(finding.hint), room).map((line) => `    ${line}`),
  ]
}

/** The worst first; within a severity as they were found. */
export function bySeverity(findings: readonly Finding[]): readonly Finding[] {
  const rank = { error: 0, warn: 1, info: 2 }
  return findings.toSorted((a, b) => rank[a.severity] - rank[b.severity])
}

const marks = {
  error: (paint: Paint) => paint.red('✗'),
  warn: (paint: Paint) => paint.yellow('!'),
  info: (paint: Paint) => paint.dim('·'),
}
