import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { failureOf, heldIn, isRunning, list, settled, until } from './observe.ts'
import { fixture, openProject } from './open-project.ts'
import { createStubHost } from './serve/stub-host.ts'

describe('an Mcp that was disposed', () => {
  it('connects nothing more, and its faces say that they are closed', async () => {
    await using project = await openProject()
    const mcp = project.start()
    const face = mcp.serve(createStubHost([]).host, { profiles: [], authenticate: async () => undefined })
    await mcp[Symbol.asyncDispose]()
    expect((await failureOf(project.open(mcp, 'a', fixture('answers')))).code).toBe('HOST_CLOSED')
    const response = await face.fetch(new Request('http://127.0.0.1/mcp'), { remoteAddress: '127.0.0.1' })
    expect(response.status).toBe(503)
  })

  it.runIf(process.platform === 'linux')('leaves no server behind that was being synced', async () => {
    await using project = await openProject()
    const script = await project.write(
      'silent.mjs',
      "import { writeFileSync } from 'node:fs'\nwriteFileSync('log.txt', String(process.pid))\nsetInterval(() => {}, 1000)",
    )
    const mcp = project.start({ pinning: 'off' })
    await project.open(mcp, 'a', { command: 'node', args: [script] })
    const syncing = mcp.sync('a', { accept: true, by: 'ann' })
    await until(async () => (await project.log()).length > 0)
    await mcp[Symbol.asyncDispose]()
    expect(isRunning(Number((await project.log())[0]))).toBe(false)
    expect((await syncing).status).toBe('failed')
  })
})

describe('forgetting a server', () => {
  it('takes it out of the lock file and keeps what was accepted, so that another launch is no first sight', async () => {
    await using project = await openProject()
    const first = project.start()
    await settled(await project.open(first, 'a', fixture('answers')))
    await settled(await project.open(first, 'b', fixture('answers')))
    expect(await first.forget('a')).toBe(true)
    expect(await first.forget('a')).toBe(false)
    expect(await first.forget('__proto__')).toBe(false)
    expect(Object.keys(JSON.parse(await readFile(project.lockFile, 'utf8')).servers)).toEqual(['b'])
    await first[Symbol.asyncDispose]()

    const mcp = project.start()
    const other = { ...fixture('answers', { LOG_FILE: project.logFile }), cwd: './elsewhere' }
    expect((await list(await project.open(mcp, 'a', other))).holds.map(({ by }) => by)).toEqual(['launchChanged'])
    expect(await project.log()).toEqual([])
    const same = await project.open(project.start(), 'a', fixture('answers'))
    expect(Object.values(heldIn(await settled(same))).every((by) => by === '')).toBe(true)
  })

  it('changes nothing where nothing may be pinned', async () => {
    await using project = await openProject()
    await settled(await project.open(project.start(), 'a', fixture('answers')))
    const before = await readFile(project.lockFile, 'utf8')
    expect(await project.start({ frozen: true }).forget('a')).toBe(false)
    expect(await readFile(project.lockFile, 'utf8')).toBe(before)
  })
})
