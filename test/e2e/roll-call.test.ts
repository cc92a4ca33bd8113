import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../list-files.ts'
import { openScratch, type Scratch } from './scratch.ts'

interface Provider {
  readonly appId: string
  readonly source: string
  readonly state: string
}

const lockFile = join(root, 'rollcall.lock.json')
let scratch: Scratch
let lockBefore: string
let providers: readonly Provider[]
let tools: readonly { readonly name: string }[]

beforeAll(async () => {
  scratch = await openScratch()
  lockBefore = await readFile(lockFile, 'utf8')
  providers = (await json('plugins')).providers
  tools = (await json('tools')).tools
})
afterAll(() => scratch[Symbol.asyncDispose]())

async function json(...words: readonly string[]) {
  const { stdout, stderr } = await scratch.rollcall(...words, '--json')
  expect(stdout, stderr).toMatch(/^\{/)
  return JSON.parse(stdout)
}

describe('the quick start of the repository', () => {
  it('R-DISC-01 has at least five active providers, announced, found by their alias and configured', () => {
    const active = providers.filter(({ state }) => state === 'active' || state === 'degraded')
    expect(active.length).toBeGreaterThanOrEqual(5)
    const sources = new Set(active.map(({ source }) => source))
    expect([...sources]).toEqual(expect.arrayContaining(['announced', 'legacy', 'configured']))
  })

  it('has no provider twice, and none that failed', () => {
    const ids = providers.map(({ appId }) => appId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(providers.filter(({ state }) => state === 'failed' || state === 'held')).toEqual([])
  })

  it('lists at least thirty tools, each once and under a name that every client takes', () => {
    const names = tools.map(({ name }) => name)
    expect(names.length).toBeGreaterThanOrEqual(30)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => !/^[a-z][a-z0-9-]{0,31}__[A-Za-z0-9_-]+$/.test(name) || name.length > 64)).toEqual([])
  })

  it('calls a tool of a server that runs only for the call', async () => {
    const { code, stdout } = await scratch.rollcall('call', 'everything__echo', 'message=hello')
    expect([code, stdout]).toEqual([0, 'Echo: hello\n'])
  })

  it('calls a tool of a plugin, and of an announced server', async () => {
    expect(await json('call', 'system__status')).toMatchObject({ status: 'ok' })
    expect(await json('call', 'filesystem__list_allowed_directories')).toMatchObject({
      status: 'ok',
      text: expect.stringContaining(join(scratch.env.ROLLCALL_STATE_DIR ?? '', 'files')),
    })
  })

  it('says why a tool may be called, and why not', async () => {
    expect(await json('why', 'everything__echo')).toMatchObject({ verdict: 'allow', holds: [] })
    const denied = await json('why', 'system__environment', '--profile', 'cloud')
    expect(denied).toMatchObject({ verdict: 'deny', decidedBy: 'zone' })
    expect(denied.ways.length).toBeGreaterThan(0)
    const off = await json('why', 'everything__get-env')
    expect(off).toMatchObject({ verdict: 'deny', decidedBy: 'held', holds: [{ by: 'default' }] })
    expect((await scratch.rollcall('why', 'everything__get-env')).code).toBe(1)
  })

  it('asks a person before the unmigrated plugin writes', async () => {
    expect((await scratch.rollcall('enable', 'notes__add')).code).toBe(0)
    const { code, stdout } = await scratch.rollcall('call', 'notes__add', 'text=milk', '--json')
    expect([code, JSON.parse(stdout).status]).toEqual([4, 'waiting'])
    expect(await json('call', 'notes__list')).toMatchObject({ status: 'ok', structured: { notes: [] } })
    expect(await json('call', 'notes__add', 'text=milk', '--approve')).toMatchObject({ status: 'ok' })
    expect(await json('call', 'notes__list')).toMatchObject({ structured: { notes: [{ number: 1, text: 'milk' }] } })
  })

  it('leaves the lock file as it is', async () => {
    expect(await readFile(lockFile, 'utf8')).toBe(lockBefore)
  })
})
