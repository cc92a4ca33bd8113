import { type ApiKey, createKeyBook, type KeyBook } from '@rollcall/host'
import { RollcallError, type Scope } from '@rollcall/plugin'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openStore } from '../open-store.ts'
import { duration } from '../output/duration.ts'
import { oneLine } from '../output/safe-text.ts'
import { renderTable } from '../output/table.ts'
import { parseDuration } from '../parse-duration.ts'
import { readConfig, requireTrust } from '../read-config.ts'

/** What `rollcall keys add` is told. */
export interface KeyWords {
  readonly person: string
  readonly profile: readonly string[]
  readonly scope?: readonly string[]
  readonly service?: boolean
  readonly admin?: boolean
  readonly expires?: string
  readonly label?: string
}

/** `rollcall keys add`: makes a key, and shows its token this once. */
export async function addKey(context: CommandContext, words: KeyWords): Promise<ExitCode> {
  await mayMakeDecider(context, words)
  await using room = await openRoom(context)
  const { screen } = context
  const unknown = words.profile.find((name) => !room.profiles.has(name))
  if (unknown !== undefined) {
    throw new RollcallError('KEY_INVALID', `There is no profile "${oneLine(unknown)}" that is served.`, {
      hint: `Name one of: ${[...room.profiles].join(', ')}; others are served by "serve": true in the configuration.`,
    })
  }
  const { key, token } = await room.keys.add({
    person: words.person,
    profiles: words.profile,
    kind: words.service === true ? 'service' : 'user',
    admin: words.admin === true,
    ...(words.scope && { scopes: words.scope as readonly Scope[] }),
    ...(words.label !== undefined && { label: words.label }),
    ...(words.expires !== undefined && { expiresAt: Date.now() + parseDuration(words.expires, '--expires') }),
  })
  screen.data({ id: key.id, token, ...shown(key) })
  screen.print(token)
  screen.note(
    `  The key ${key.id} of ${oneLine(key.person)} for ${key.profiles.join(', ')}. It is shown this once: put it where secrets belong.`,
    '  A client sends it as the header  Authorization: Bearer <key>',
  )
  return exitCode.fine
}

/** A program that can only run commands must not make itself a key that approves its own calls. */
async function mayMakeDecider({ screen, prompts, signal }: CommandContext, words: KeyWords): Promise<void> {
  if (words.admin !== true && words.scope?.includes('runs:approve') !== true) return
  const hint = 'Run it in a terminal, and say yes there.'
  if (!screen.interactive)
    throw new RollcallError('KEY_INVALID', 'A key that may approve is made by a person at a terminal.', { hint })
  const what = words.admin === true ? 'do what administrators may' : 'approve calls'
  const yes = await prompts.confirm(`Make a key for ${oneLine(words.person)} that may ${what}?`, signal)
  if (yes !== true) throw new RollcallError('KEY_INVALID', 'No key was made.', { hint })
}

/** `rollcall keys list`: what keys there are, never their secrets. */
export async function listKeys(context: CommandContext): Promise<ExitCode> {
  await using room = await openRoom(context)
  const { screen } = context
  const keys = await room.keys.list()
  const used = await room.keys.used()
  screen.data({ keys: keys.map((key) => ({ id: key.id, ...shown(key), usedAt: used.get(key.id) ?? null })) })
  const now = Date.now()
  const table = renderTable({
    width: screen.width,
    paintTitle: screen.paint.dim,
    columns: [
      { title: 'ID' },
      { title: 'PERSON', least: 12 },
      { title: 'PROFILES', least: 10 },
      { title: 'SCOPES', dropOrder: 1 },
      { title: 'STATE' },
      { title: 'USED', dropOrder: 2 },
      { title: 'LABEL', dropOrder: 3 },
    ],
    rows: keys.map((key) => [
      key.id,
      oneLine(`${key.person}${key.kind === 'service' ? ' (service)' : ''}${key.admin ? ' (admin)' : ''}`),
      key.profiles.join(' '),
      key.scopes.join(' '),
      stateOf(key, now),
      ago(used.get(key.id), now),
      oneLine(key.label),
    ]),
  })
  screen.print(
    ...(keys.length === 0
      ? ['  There is no key. rollcall keys add --person <name> --profile <name> makes one.']
      : table),
  )
  return exitCode.fine
}

/** `rollcall keys revoke`: from now on the key is good for nothing; what it has open ends within seconds. */
export async function revokeKey(context: CommandContext, id: string): Promise<ExitCode> {
  await using room = await openRoom(context)
  if (!(await room.keys.revoke(id))) {
    throw new RollcallError('KEY_INVALID', `There is no good key "${oneLine(id)}".`, {
      hint: 'What there is: rollcall keys list',
    })
  }
  context.screen.data({ revoked: id })
  context.screen.print(`  Revoked: ${oneLine(id)}. What it has open ends within 5 seconds.`)
  return exitCode.fine
}

interface Room extends AsyncDisposable {
  readonly keys: KeyBook
  /** Those that clients can reach. */
  readonly profiles: ReadonlySet<string>
}

/** Keys need the store alone: no plugin and no server is started for them. */
async function openRoom(context: CommandContext): Promise<Room> {
  const loaded = await readConfig(context)
  requireTrust(loaded)
  const store = await openStore(loaded, context.env)
  const served = Object.entries(loaded.config.profiles ?? {}).filter(([, { serve }]) => serve === true)
  return {
    keys: createKeyBook({ settings: store.settings }),
    profiles: new Set(['default', ...served.map(([name]) => name)]),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

function shown({ hash: _, id: _id, ...key }: ApiKey): Omit<ApiKey, 'hash' | 'id'> {
  return key
}

function stateOf({ revokedAt, expiresAt }: ApiKey, now: number): string {
  if (revokedAt !== undefined) return 'revoked'
  if (expiresAt === undefined) return 'good'
  return expiresAt <= now ? 'expired' : `good for ${duration(expiresAt - now)}`
}

function ago(at: number | undefined, now: number): string {
  return at === undefined ? 'never' : `${duration(now - at)} ago`
}
