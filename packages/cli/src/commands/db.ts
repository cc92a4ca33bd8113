import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { backupLines, isSealedStore, resealStore, restoreBackup, type Store } from '@rollcall/host'
import type { LoadedConfig } from '@rollcall/host/config'
import { isRollcallError, RollcallError } from '@rollcall/plugin'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openBareStore, openStore } from '../open-store.ts'
import { count } from '../output/duration.ts'
import { oneLine } from '../output/safe-text.ts'
import { readConfig, requireTrust } from '../read-config.ts'
import { dropFormerKeys, readStoreKeys, renewKeyFile } from '../store-keys.ts'

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

/**
 * `rollcall db rotate-key`: brings all that is to be sealed under the current key. A key file gets a new key first; one
 * that the configuration names is changed there, the one before standing among `formerKeys`.
 */
export async function rotateKey(context: CommandContext): Promise<ExitCode> {
  const loaded = await readConfig(context)
  requireTrust(loaded)
  const { config, stateFolder } = loaded
  const isFile = typeof config.store === 'object' && config.store.key === 'file'
  // From here on every program that opens the store writes with the new key.
  if (isFile && (await isSealed(loaded, context))) await renewKeyFile(stateFolder)
  await (await openStore(loaded, context.env))[Symbol.asyncDispose]()
  await using store = await openBareStore(loaded, context.env)
  const keys = await readStoreKeys(loaded, context.env, { mayMake: false })
  if (keys === undefined) {
    throw new RollcallError('KEY_UNKNOWN', 'The configuration gives the store no key.', {
      hint: 'As in: "store": { "key": "file" }, or { "key": { "env": "STORE_KEY" } }',
    })
  }
  const { changed, kept } = await resealStore(store, keys)
  if (isFile) await dropFormerKeys(stateFolder)
  const { id } = keys.current
  context.screen.data({ key: id, changed, kept })
  context.screen.print(
    `  ${count(changed, 'value')} brought under the key ${id}; ${count(kept, 'value')} under it before.`,
    ...(isFile ? [] : ['  Former keys open nothing any more: take "formerKeys" out of the configuration.']),
  )
  return exitCode.fine
}

async function isSealed(loaded: LoadedConfig, { env }: CommandContext): Promise<boolean> {
  await using store = await openBareStore(loaded, env)
  return await isSealedStore(store)
}

/** These commands need the store alone, as it lies there. */
async function openStoreAlone(context: CommandContext): Promise<Store> {
  const loaded = await readConfig(context)
  requireTrust(loaded)
  return await openBareStore(loaded, context.env)
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
