import type { ToolOutcome } from '@rollcall/host'
import type { Finding } from '@rollcall/plugin'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { duration } from './duration.ts'
import { findingLines } from './finding-lines.ts'
import { manyLines, oneLine, widthOf } from './safe-text.ts'
import type { Screen } from './screen.ts'
import { wrap } from './wrap.ts'

/**
 * Shows how a call ended: the tool's words on standard output, how it went beside them.
 *
 * @param findings why there may be no such tool.
 * @returns the exit code.
 */
export function showOutcome(outcome: ToolOutcome, screen: Screen, findings?: readonly Finding[]): ExitCode {
  screen.data(findings === undefined ? outcome : { ...outcome, findings })
  if (screen.json) return exitCodes[outcome.status]
  if (outcome.status === 'ok') showResult(outcome, screen)
  else if (outcome.status !== 'waiting') showFailure(outcome, screen, findings)
  return exitCodes[outcome.status]
}

const exitCodes: Readonly<Record<ToolOutcome['status'], ExitCode>> = {
  ok: exitCode.fine,
  failed: exitCode.negative,
  denied: exitCode.negative,
  cancelled: exitCode.negative,
  unknown: exitCode.negative,
  waiting: exitCode.needsApproval,
}

function showResult(outcome: Extract<ToolOutcome, { status: 'ok' }>, screen: Screen): void {
  const text = manyLines(outcome.text)
  const others = outcome.content.flatMap((block) => {
    if (block.type === 'text') return []
    if (block.type === 'image' || block.type === 'audio') {
      return [`[${block.type} ${oneLine(block.mimeType)}, ${Math.ceil((block.data.length * 3) / 4 / 1024)} KB]`]
    }
    if (block.type === 'resource_link') return [`[link ${oneLine(block.uri)}]`]
    return [`[${oneLine(block.type)}]`]
  })
  const end = `ok · ${duration(outcome.durationMs)}`
  const lines = [...(text === '' ? [] : [text]), ...others]
  const [only] = lines
  if (screen.isTerminal && lines.length === 1 && only !== undefined && !only.includes('\n')) {
    const blanks = screen.width - widthOf(only) - end.length
    if (blanks >= 2) {
      screen.print(`${only}${' '.repeat(blanks)}${screen.paint.dim(end)}`)
      return
    }
  }
  screen.print(...lines)
  screen.note(screen.notePaint.dim(end))
}

function showFailure(
  outcome: Exclude<ToolOutcome, { status: 'ok' } | { status: 'waiting' }>,
  { notePaint, width, complain }: Screen,
  findings: readonly Finding[] = [],
): void {
  const code = 'code' in outcome ? `${outcome.code} · ` : ''
  const hint = 'hint' in outcome && outcome.hint !== undefined ? wrap(oneLine(outcome.hint), width - 2) : []
  complain(
    ...(outcome.text === '' ? [] : [manyLines(outcome.text)]),
    ...hint.map((line) => `  ${line}`),
    ...findings.flatMap((finding) => ['', ...findingLines(finding, { width, paint: notePaint, causes: true })]),
    '',
    `${notePaint.red(outcome.status)} ${notePaint.dim(`· ${code}${duration(outcome.durationMs)}`)}`,
  )
}
