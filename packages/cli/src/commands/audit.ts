import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type AuditRecord, pruneAudit, readAudit, readSinks, type Store, verifyAudit } from '@rollcall/host'
import { toAudit } from '@rollcall/host/config'
import { RollcallError } from '@rollcall/plugin'
import { readAuditKey } from '../audit-key.ts'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openBareStore, openStore } from '../open-store.ts'
import { csvLine } from '../output/csv-line.ts'
import { count, duration } from '../output/duration.ts'
import { oneLine } from '../output/safe-text.ts'
import { renderTable } from '../output/table.ts'
import { parseDuration } from '../parse-duration.ts'
import { readConfig, requireTrust } from '../read-config.ts'

/** What of the audit is wanted. */
export interface AuditFilter {
  readonly since?: string
  readonly tool?: string
  readonly status?: string
  /** What was kept of arguments and outcomes, too. */
  readonly content?: boolean
}

const columns = [
  'at',
  'callId',
  'tool',
  'subject',
  'principal',
  'profile',
  'effect',
  'dataClass',
  'verdict',
  'decidedBy',
  'why',
  'decision',
  'status',
  'code',
  'durationMs',
  'times',
] as const
const contentColumns = ['args', 'text'] as const

/** `rollcall audit`: the calls that were made, newest last. */
export async function audit(context: CommandContext, filter: AuditFilter): Promise<ExitCode> {
  await using room = await openRoom(context, filter)
  const { screen } = context
  const records = await Array.fromAsync(filtered(room.store, filter))
  screen.data({ records })
  const rows = records.slice(-100)
  const table = renderTable({
    width: screen.width,
    paintTitle: screen.paint.dim,
    columns: [
      { title: 'AT' },
      { title: 'TOOL', least: 24 },
      { title: 'BY', dropOrder: 2 },
      { title: 'GATE' },
      { title: 'PERSON', dropOrder: 1 },
      { title: 'END' },
    ],
    rows: rows.map((record) => [
      new Date(record.at).toISOString().slice(0, 19).replace('T', ' '),
      oneLine(record.tool),
      oneLine(`${record.principal} · ${record.profile}`),
      `${record.verdict} (${record.decidedBy})`,
      record.decision === undefined ? '' : oneLine(`${record.decision.answer} by ${record.decision.by}`),
      `${record.status}${record.code === undefined ? '' : ` ${record.code}`}${record.times === undefined ? '' : ` × ${record.times}`}`,
    ]),
  })
  const older = records.length > rows.length ? `the last ${rows.length} of ` : ''
  screen.print(
    ...(records.length === 0
      ? ['  No call is recorded.']
      : [...table, '', `  ${older}${count(records.length, 'record')}`]),
  )
  return exitCode.fine
}

/** `rollcall audit sinks`: where records are sent, how far each is behind, and why. */
export async function sinks(context: CommandContext): Promise<ExitCode> {
  const loaded = await readConfig(context)
  requireTrust(loaded)
  await using store = await openBareStore(loaded, context.env)
  const { screen } = context
  const { audit: options } = loaded.config
  const states = await readSinks(store, options === undefined ? [] : (toAudit(options, context.env).sinks ?? []))
  screen.data({ sinks: states })
  const now = Date.now()
  const table = renderTable({
    width: screen.width,
    paintTitle: screen.paint.dim,
    columns: [{ title: 'SINK' }, { title: 'BEHIND' }, { title: 'STATE', least: 20 }],
    rows: states.map(({ id, behind, failing }) => [
      id,
      count(behind, 'event'),
      failing === undefined
        ? 'takes what it is sent'
        : oneLine(`failing since ${duration(now - failing.at)}: ${failing.message}`),
    ]),
  })
  screen.print(...(states.length === 0 ? ['  No sink is configured: "audit.sinks".'] : table))
  return states.some(({ failing }) => failing !== undefined) ? exitCode.negative : exitCode.fine
}

/** `rollcall audit export`: JSON lines, or CSV that no spreadsheet takes for formulas. */
export async function exportAudit(
  context: CommandContext,
  options: AuditFilter & { readonly format?: string },
): Promise<ExitCode> {
  const { format = 'jsonl' } = options
  if (format !== 'jsonl' && format !== 'csv') {
    throw new RollcallError('USAGE', `There is no format "${oneLine(format)}".`, { hint: 'Name jsonl or csv.' })
  }
  await using room = await openRoom(context, options)
  const { screen } = context
  if (screen.json) {
    screen.data({ records: await Array.fromAsync(filtered(room.store, options)) })
    return exitCode.fine
  }
  const told = options.content === true ? [...columns, ...contentColumns] : columns
  if (format === 'csv') screen.print(csvLine(told))
  for await (const record of filtered(room.store, options)) {
    const { decision } = record
    const word = decision === undefined ? '' : `${decision.answer} by ${decision.by}${decision.self ? ' (self)' : ''}`
    const flat = { ...record, at: new Date(record.at).toISOString(), decision: word }
    screen.print(format === 'csv' ? csvLine(told.map((column) => String(flat[column] ?? ''))) : JSON.stringify(record))
  }
  return exitCode.fine
}

/** `rollcall audit verify`: whether the events are those that were written. Exits 1 where they are not. */
export async function verify(context: CommandContext, options: { readonly publicKey?: string }): Promise<ExitCode> {
  await using room = await openRoom(context)
  const { screen } = context
  const report = await verifyAudit(room.store, await keyOf(room, context, options.publicKey))
  const { breaks, rows, chains, checkpoints, uncovered, unchained } = report
  screen.data(report)
  screen.print(
    ...breaks.map(
      ({ chain, link, stream, what }) =>
        `✗ chain ${chain}, link ${link}${stream === undefined ? '' : `, ${oneLine(stream)}`}: ${what}`,
    ),
    `  ${count(rows, 'event')} in ${count(chains, 'chain')}, ${count(checkpoints, 'checkpoint')}: ${breaks.length === 0 ? 'all as they were written.' : `${count(breaks.length, 'break')}.`}`,
    ...(uncovered === 0
      ? []
      : [`  ${count(uncovered, 'event')} behind the last checkpoint: whether some were cut off there can't be told.`]),
    ...(unchained === 0 ? [] : [`  ${count(unchained, 'event')} of an older program: nothing vouches for them.`]),
  )
  return breaks.length === 0 ? exitCode.fine : exitCode.negative
}

/** `rollcall audit prune`: removes old calls that are over, and signs where it cut. */
export async function prune(context: CommandContext, options: { readonly before: string }): Promise<ExitCode> {
  await using room = await openRoom(context)
  const before = Date.now() - parseDuration(options.before, '--before')
  const removed = await pruneAudit(room.store, await readAuditKey(room.stateFolder), before)
  context.screen.data({ removed })
  context.screen.print(`  ${count(removed, 'event')} removed.`)
  return exitCode.fine
}

interface Room extends AsyncDisposable {
  readonly store: Store
  readonly stateFolder: string
}

/** The audit needs the store alone. */
async function openRoom(context: CommandContext, { content = false }: AuditFilter = {}): Promise<Room> {
  const loaded = await readConfig(context)
  requireTrust(loaded)
  // The journal lies open in a sealed store, too: whoever checks it needs no key of its content.
  const store = await (content ? openStore : openBareStore)(loaded, context.env)
  return { store, stateFolder: loaded.stateFolder, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

async function keyOf({ stateFolder }: Room, { cwd }: CommandContext, file: string | undefined): Promise<KeyObject> {
  if (file === undefined) return createPublicKey(await readAuditKey(stateFolder))
  try {
    return createPublicKey(await readFile(resolve(cwd, file), 'utf8'))
  } catch (cause) {
    throw new RollcallError('AUDIT_KEY_INVALID', `${oneLine(file)} holds no public key, or can't be read.`, {
      hint: 'It is the file audit.pub of the state folder, in PEM.',
      cause,
    })
  }
}

async function* filtered(
  store: Store,
  { since, tool, status, content = false }: AuditFilter,
): AsyncIterable<AuditRecord> {
  const from = since === undefined ? 0 : Date.now() - parseDuration(since, '--since')
  for await (const record of readAudit(store, from, { content })) {
    if (tool !== undefined && record.tool !== tool) continue
    if (status !== undefined && record.status !== status) continue
    yield record
  }
}
