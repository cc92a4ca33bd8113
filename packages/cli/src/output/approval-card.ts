import { canonicalJson, type Json } from '@rollcall/plugin'
import { approvalCode } from './approval-code.ts'
import type { Paint } from './paint.ts'
import { oneLine, widthOf } from './safe-text.ts'

/** What a card shows. */
export interface CardInput {
  readonly tool: string
  readonly binds: `sha256:${string}`
  readonly args: Json
  readonly preview: readonly string[]
  /** Who asks, under which profile. */
  readonly origin: string
  /** Why a person is asked, where it is not for each call. */
  readonly why?: string
  /** Columns of the terminal. */
  readonly width: number
  readonly paint: Paint
}

export interface ApprovalCard {
  readonly lines: readonly string[]
  /** Four characters that a person types to approve from elsewhere. */
  readonly code: string
  /** Over 4 KB: approving is locked until everything was shown. */
  readonly isLong: boolean
}

/** Bytes of arguments and preview up to which a card counts as read at once. */
const longBytes = 4_096
/** Equal blanks in a row that are counted instead of shown. */
const blankRun = /(?:[ \p{Zs}]|\\n|\\r|\\t){4,}/gu

/**
 * The one card on which a person decides: canonical arguments first, then what the plugin says about them, then the
 * origin. Every character that hides or moves something is an escape, runs of blanks are counted, nothing is markup.
 */
export function approvalCard(input: CardInput): ApprovalCard {
  const code = approvalCode(input.binds)
  const inner = Math.min(Math.max(input.width, 60), 100) - 4
  const args = argumentRows(input.args)
  const preview = input.preview.map((line) => countBlanks(oneLine(line)))
  const plain = [
    ...pairs(args, inner),
    '',
    ...pairs(
      [
        ...preview.map((line, at): Row => [at === 0 ? 'the plugin says' : '', line]),
        ...(input.why === undefined ? [] : [['asked because', oneLine(input.why)] as const]),
        ['origin', oneLine(input.origin)],
      ],
      inner,
    ),
  ]
  const tool = oneLine(input.tool)
  const fits = widthOf(tool) + 'approve '.length + code.length + 6 <= inner
  const title = fits ? `approve ${tool}` : 'approve'
  const body = fits ? plain : [tool, '', ...plain]
  const { dim, bold } = input.paint
  const rule = '─'.repeat(Math.max(1, inner - widthOf(title) - code.length - 2))
  return {
    code,
    isLong: Buffer.byteLength(canonicalJson(input.args)) + Buffer.byteLength(input.preview.join('\n')) > longBytes,
    lines: [
      `${dim('╭')} ${bold(title)} ${dim(rule)} ${bold(code)} ${dim('╮')}`,
      ...body.map((line) => `${dim('│')} ${line}${' '.repeat(Math.max(0, inner - widthOf(line)))} ${dim('│')}`),
      dim(`╰${'─'.repeat(inner + 2)}╯`),
    ],
  }
}

/** Writes runs of four blanks or more as their number. */
export function countBlanks(text: string): string {
  return text.replace(blankRun, (run) => `⟨${run.replace(/\\[nrt]/g, ' ').length} blanks⟩`)
}

type Row = readonly [label: string, text: string]

function argumentRows(args: Json): readonly Row[] {
  const shown = (value: Json) => countBlanks(oneLine(canonicalJson(value)))
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return [['arguments', shown(args)]]
  const entries = Object.entries(args).toSorted(([a], [b]) => (a < b ? -1 : 1))
  if (entries.length === 0) return [['arguments', 'none']]
  return entries.map(([key, value]): Row => [countBlanks(oneLine(key)), shown(value)])
}

function pairs(rows: readonly Row[], width: number): readonly string[] {
  const labelWidth = Math.min(24, Math.max(...rows.map(([label]) => widthOf(label))))
  return rows.flatMap(([label, text]) => {
    const pad = (shown: string) => shown + ' '.repeat(Math.max(0, labelWidth - widthOf(shown)))
    const chunks = chop(text, width - labelWidth - 3)
    if (widthOf(label) > labelWidth) return [...chop(label, width), ...chunks.map((chunk) => `${pad('')}   ${chunk}`)]
    return chunks.map((chunk, at) => `${pad(at === 0 ? label : '')}   ${chunk}`.trimEnd())
  })
}

function chop(text: string, width: number): readonly string[] {
  const chunks: string[] = []
  let chunk = ''
  let used = 0
  for (const character of text) {
    const cells = widthOf(character)
    if (used + cells > width) {
      chunks.push(chunk)
      chunk = ''
      used = 0
    }
    chunk += character
    used += cells
  }
  return [...chunks, chunk]
}
