import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type JsonObject, RollcallError } from '@rollcall/plugin'
import { type Lock, type LockEntry, noVerdict } from './lock-entry.ts'
import { parseLock } from './parse-lock.ts'

const waitMs = 10_000
const staleMs = 30_000

/** The lock file: read strictly, written whole, shared between processes. */
export class LockFile {
  readonly path: string
  #seen: { readonly stamp: string; readonly lock: Lock } | undefined

  constructor(path: string) {
    this.path = path
  }

  /**
   * What is pinned; empty where there is no file.
   *
   * @throws {RollcallError} `LOCK_INVALID` for a file that can not be read or is of another version.
   */
  async read(): Promise<Lock> {
    const stamp = await stampOf(this.path)
    if (stamp === undefined) return new Map()
    if (this.#seen?.stamp === stamp) return this.#seen.lock
    const lock = parseLock(await readText(this.path), this.path)
    this.#seen = { stamp, lock }
    return lock
  }

  /**
   * Puts one server's entry in place and keeps all others as they are at that moment, also those that another process
   * has just written.
   *
   * @throws {RollcallError} `LOCK_INVALID` when the file can not be read or written, and then it stays as it is.
   */
  async put(appId: string, entry: LockEntry): Promise<void> {
    await this.#change((lock) => lock.set(appId, entry))
  }

  /**
   * Takes one server's entry out and keeps all others.
   *
   * @returns whether it was there.
   * @throws {RollcallError} `LOCK_INVALID` when the file can not be read or written, and then it stays as it is.
   */
  async drop(appId: string): Promise<boolean> {
    if (!(await this.read()).has(appId)) return false
    await this.#change((lock) => lock.delete(appId))
    return true
  }

  async #change(edit: (lock: Map<string, LockEntry>) => void): Promise<void> {
    const release = await takeTurn(this.path)
    try {
      const lock = new Map(await this.read())
      edit(lock)
      await replaceFile(this.path, formatLock(lock))
    } finally {
      await release()
    }
  }
}

/** One text for one content: servers, keys and tools in order. A definition keeps its server's own order of keys. */
export function formatLock(lock: Lock): string {
  const servers = [...lock].sort(byName(([appId]) => appId)).map(([appId, entry]) => [appId, ordered(entry)] as const)
  return `${JSON.stringify({ version: 1, servers: Object.fromEntries(servers) }, null, 2)}\n`
}

/** What is at its default is left out, so that a file of before stays as it was. */
function ordered(entry: LockEntry): Partial<LockEntry> {
  const { capabilities, capabilityClasses, instructions, launch, protocol, protocolVersion, serverInfo, tools } = entry
  return {
    ...(Object.keys(capabilities).length > 0 && { capabilities }),
    capabilityClasses: [...capabilityClasses].sort(),
    ...(instructions !== undefined && { instructions }),
    launch,
    ...keyed('prompts', entry.prompts, 'name'),
    ...(protocol.on !== noVerdict.on && { protocol: { era: protocol.era, on: protocol.on } }),
    protocolVersion,
    ...keyed('resources', entry.resources, 'uri'),
    serverInfo: { name: serverInfo.name, version: serverInfo.version },
    ...keyed('templates', entry.templates, 'uriTemplate'),
    tools: tools
      .toSorted(byName((tool) => tool.name))
      .map(({ name, definition, digest, needs }) => ({ name, digest, needs: [...needs].sort(), definition })),
  }
}

function keyed(
  field: string,
  list: readonly JsonObject[],
  key: string,
): { readonly [field: string]: readonly JsonObject[] } {
  return list.length === 0 ? {} : { [field]: list.toSorted(byName((each) => String(each[key]))) }
}

/** By code units: the same on every machine, whatever its language. */
function byName<T>(name: (value: T) => string): (one: T, other: T) => number {
  return (one, other) => (name(one) < name(other) ? -1 : name(one) > name(other) ? 1 : 0)
}

/** Written beside and renamed over: a reader never sees half a file. */
async function replaceFile(path: string, text: string): Promise<void> {
  const beside = `${path}.${process.pid}.${crypto.randomUUID().slice(0, 8)}.tmp`
  try {
    await writeFile(beside, text, { flag: 'wx' })
    await rename(beside, path)
  } catch (cause) {
    await rm(beside, { force: true }).catch(() => {})
    throw notWritable(path, cause)
  }
}

/** Holds a file that exists only while one process writes. */
async function takeTurn(lockPath: string): Promise<() => Promise<void>> {
  const path = `${lockPath}.writing`
  await mkdir(dirname(path), { recursive: true }).catch((cause: unknown) => {
    throw notWritable(lockPath, cause)
  })
  const end = performance.now() + waitMs
  for (;;) {
    try {
      const handle = await open(path, 'wx')
      await handle.close()
      return () => rm(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw notWritable(lockPath, error)
    }
    if (performance.now() > end) throw beingWritten(path)
    const since = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    // Its writer has died: nobody needs this long for one small file.
    if (since > staleMs) await rm(path, { force: true })
    await sleep(10 + Math.random() * 20)
  }
}

async function stampOf(path: string): Promise<string | undefined> {
  try {
    const { mtimeNs, size, ino } = await stat(path, { bigint: true })
    return `${mtimeNs} ${size} ${ino}`
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw unreadable(path, cause)
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

function unreadable(path: string, cause: unknown): RollcallError {
  return new RollcallError('LOCK_INVALID', `The lock file ${path} can not be read.`, {
    hint: 'Check its permissions.',
    cause,
  })
}

function notWritable(path: string, cause: unknown): RollcallError {
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown reason'
  return new RollcallError('LOCK_INVALID', `The lock file ${path} can not be written (${code}).`, {
    hint: 'Check the permissions of its folder and the room on its disk, or name another place in "mcp.lockFile".',
    cause,
  })
}

function beingWritten(path: string): RollcallError {
  return new RollcallError('LOCK_INVALID', 'The lock file can not be written: another process is writing it.', {
    hint: `Remove ${path} if no other Rollcall runs.`,
  })
}
