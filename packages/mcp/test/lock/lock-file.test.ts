import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { digestOf } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import type { LockEntry } from '../../src/lock/lock-entry.ts'
import { formatLock, LockFile } from '../../src/lock/lock-file.ts'
import { parseLock } from '../../src/lock/parse-lock.ts'
import { failureOf } from '../observe.ts'
import { openProject } from '../open-project.ts'

function entry(...names: string[]): LockEntry {
  const tools = names.map((name) => {
    const definition = { name, inputSchema: { type: 'object', properties: { z: {}, a: {} } } }
    return { name, definition, digest: digestOf(definition), needs: [] }
  })
  const serverInfo = { name: 'x', version: '1' }
  return {
    launch: digestOf('launch'),
    serverInfo,
    protocolVersion: '2025-11-25',
    protocol: { era: 'session', on: '2026-07-28' },
    capabilities: {},
    capabilityClasses: ['{}'],
    prompts: [],
    templates: [],
    resources: [],
    tools,
  }
}

describe('the lock file', () => {
  it('has one text for one content, and reads back what was written', () => {
    const one = new Map([
      ['b', entry('y', 'x')],
      ['a', entry()],
    ])
    const other = new Map([
      ['a', entry()],
      ['b', entry('x', 'y')],
    ])
    const text = formatLock(one)
    expect(text).toBe(formatLock(other))
    expect(text.endsWith('}\n')).toBe(true)
    expect(formatLock(parseLock(text, 'lock'))).toBe(text)
    expect(Object.keys(parseLock(text, 'lock').get('b')?.tools[0]?.definition ?? {})).toEqual(['name', 'inputSchema'])
  })

  it('loses nothing when twenty writers pin different servers at once', async () => {
    await using project = await openProject()
    const ids = Array.from({ length: 20 }, (_, index) => `s${String(index).padStart(2, '0')}`)
    // Each writer has a view of its own, as separate processes have.
    await Promise.all(ids.map((id) => new LockFile(project.lockFile).put(id, entry(id))))
    expect([...(await new LockFile(project.lockFile).read()).keys()]).toEqual(ids)
    expect(await readdir(project.folder)).toEqual(['rollcall.lock.json'])
  })

  it('that can not be written says so by its code and leaves nothing beside it', async () => {
    await using project = await openProject()
    const file = await project.write('file', '')
    const below = await failureOf(new LockFile(join(file, 'rollcall.lock.json')).put('a', entry('x')))
    expect(below).toMatchObject({ code: 'LOCK_INVALID', hint: expect.stringContaining('mcp.lockFile') })
    // A folder under that name can be read by nobody as a file, nor be replaced by one.
    await mkdir(join(project.folder, 'taken', 'full'), { recursive: true })
    expect((await failureOf(new LockFile(join(project.folder, 'taken')).put('a', entry('x')))).code).toBe(
      'LOCK_INVALID',
    )
    expect((await readdir(project.folder)).toSorted()).toEqual(['file', 'taken'])
  })

  it('loses one server and keeps the others when it is told to drop it', async () => {
    await using project = await openProject()
    const lock = new LockFile(project.lockFile)
    for (const id of ['a', 'b', 'c']) await lock.put(id, entry(id))
    expect([await lock.drop('b'), await lock.drop('b'), await lock.drop('nobody')]).toEqual([true, false, false])
    expect([...(await new LockFile(project.lockFile).read()).keys()]).toEqual(['a', 'c'])
  })

  it('sees what another process has written', async () => {
    await using project = await openProject()
    const mine = new LockFile(project.lockFile)
    expect((await mine.read()).size).toBe(0)
    await new LockFile(project.lockFile).put('a', entry('x'))
    expect([...(await mine.read()).keys()]).toEqual(['a'])
  })

  it('is not blocked by a writer that died', async () => {
    await using project = await openProject()
    const turn = await project.write('rollcall.lock.json.writing', '')
    const longAgo = new Date(Date.now() - 60_000)
    await utimes(turn, longAgo, longAgo)
    await new LockFile(project.lockFile).put('a', entry('x'))
    await expect(stat(turn)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['a newer version', '{"version":2,"servers":{}}'],
    ['no servers', '{"version":1}'],
    ['a broken entry', '{"version":1,"servers":{"a":{"launch":"x"}}}'],
    [
      'a tool under another name',
      formatLock(new Map([['a', entry('x')]])).replace(
        '"name": "x",\n          "digest"',
        '"name": "y",\n          "digest"',
      ),
    ],
  ])('with %s is refused, and not overwritten', async (_what, text) => {
    await using project = await openProject()
    await writeFile(project.lockFile, text)
    const file = new LockFile(project.lockFile)
    await expect(file.read()).rejects.toMatchObject({ code: 'LOCK_INVALID' })
    await expect(file.put('b', entry())).rejects.toMatchObject({ code: 'LOCK_INVALID' })
    expect(await readFile(project.lockFile, 'utf8')).toBe(text)
    expect(await readdir(project.folder)).toEqual(['rollcall.lock.json'])
  })
})
