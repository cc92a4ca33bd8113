import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { backupLines, restoreBackup, type Store } from '@rollcall/host'
import { isRollcallError, RollcallError } from '@rollcall/plugin'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openStore } from '../open-store.ts'
import { count } from '../output/duration.ts'
import { oneLine } from '../output/safe-text.ts'
import { readConfig, requireTrust } from '../read-config.ts'

/** `rollcall db migrate`: brings the tables up to date; every other command does so too when it begins. */
export async function migrate(context: CommandContext): Promise<ExitCode> {
  await using store = await openStoreAlone(context)
  const { found, version } = store.rows.schema
  context.screen.data({ found, version })
  context.screen.print(
    found >= version
      ? `  The store has schema version ${version}; nothing to do.`
      : `  The store has schema version ${version}${found === 0 ? ', made anew.' : `, brought from ${found}.`}`,
  )
  return exitCode.fine
}

/** `rollcall db status`: what kind of store it is, and how much is in it. */
export async function status(context: CommandContext): Promise<ExitCode> {
  await using store = await openStoreAlone(context)
  const { screen } = context
  const {
    kind,
    schema: { version },
  } = store.rows
  const counts = await store.rows.counts()
  const chains = (await store.chains()).length
  screen.data({ store: kind, schema: version, rows: counts, chains })
  const rows = Object.entries(counts).map(([table, rows]) => `${rows.toLocaleString('en')} ${table}`)
  screen.print(`  ${kind}, schema version ${version}: ${rows.join(', ')}; ${count(chains, 'chain')} of events.`)
  return exitCode.fine
}

/** `rollcall db backup`: writes the store as it is now into a new file that only its owner may read. */
export async function backup(context: CommandContext, name: string): Promise<ExitCode> {
  const file = resolve(context.cwd, name)
  await using store = await openStoreAlone(context)
  const rows = await writeNewFile(file, backupLines(store, Date.now()))
  context.screen.data({ file, rows })
  context.screen.print(
    `  ${count(rows, 'row')} in ${oneLine(file)}. It holds what the store holds: keep it where secrets belong.`,
  )
  return exitCode.fine
}

/** `rollcall db restore`: fills the store of the configuration, which must be empty, from a backup. */
export async function restore(context: CommandContext, name: string): Promise<ExitCode> {
  const file = resolve(context.cwd, name)
  await using store = await openStoreAlone(context)
  const rows = await restoreBackup(store, linesOf(file))
  context.screen.data({ file, rows })
  context.screen.print(
    `  ${count(rows, 'row')} restored. rollcall audit verify says whether the events are those that were written.`,
  )
  return exitCode.fine
}

/** These commands need the store alone. */
async function openStoreAlone(context: CommandContext): Promise<Store> {
  const loaded = await readConfig(context)
  requireTrust(loaded)
  return await openStore(loaded, context.env)
}

/** Nothing is left of a file that could not be written whole. */
async function writeNewFile(file: string, lines: AsyncIterable<string>): Promise<number> {
  const handle = await open(file, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw unusable(file, 'written', cause)
    throw new RollcallError('FILE_EXISTS', `${oneLine(file)} is there already.`, { hint: 'Name a new file.' })
  })
  let written = 0
  try {
    for await (const line of lines) {
      await handle.write(line)
      written += 1
    }
    await handle.sync()
    await handle.close()
    // All but the heading and the last line.
    return written - 2
  } catch (error) {
    await handle.close()
    await rm(file)
    throw isRollcallError(error) ? error : unusable(file, 'written', error)
  }
}

/** Cut at line feeds alone: a text of a row may hold what other readers take for the end of a line. */
async function* linesOf(file: string): AsyncIterable<string> {
  let parts: string[] = []
  try {
    for await (const chunk of createReadStream(file, 'utf8')) {
      const [first = '', ...others] = String(chunk).split('\n')
      parts.push(first)
      for (const next of others) {
        yield parts.join('')
        parts = [next]
      }
    }
  } catch (error) {
    throw isRollcallError(error) ? error : unusable(file, 'read', error)
  }
  if (parts.some((part) => part !== '')) yield parts.join('')
}

function unusable(file: string, how: 'read' | 'written', cause: unknown): RollcallError {
  return new RollcallError('BACKUP_INVALID', `The backup ${oneLine(file)} can not be ${how}.`, {
    hint: 'Check the path, its permissions and the free space.',
    cause,
  })
}
