import { readFile, writeFile } from 'node:fs/promises'
import type { McpClaim, OpenProvider } from '@rollcall/host'
import type { JsonObject } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { failureOf, settled, textOf, until } from '../observe.ts'
import { fixture, openProject, type Project } from '../open-project.ts'
import { able, openSession } from '../open-session.ts'

async function asking(project: Project, more: Partial<McpClaim> = {}, env: Record<string, string> = {}) {
  const mcp = project.start()
  const provider = await project.open(mcp, 'a', fixture('asking-server', { LOG_FILE: project.logFile, ...env }), more)
  await settled(provider)
  return { mcp, provider }
}

async function answer(
  provider: OpenProvider,
  tool: string,
  args: JsonObject,
  call: Parameters<OpenProvider['call']>[2],
) {
  return JSON.parse(textOf(await provider.call(tool, args, call)))
}

const starts = async (project: Project) => (await project.log()).filter((line) => line === 'started').length

describe('a question of a server', () => {
  it('R-SEC-05 reaches the session whose call asks it: 2 sessions, 50 parallel calls each, on one process', async () => {
    await using project = await openProject()
    const { provider } = await asking(project)
    const before = await starts(project)
    const sessions = ['ann', 'bob'].map((id) => openSession(id, { capabilities: able }))
    const calls = Array.from({ length: 50 }, (_, at) => at).flatMap((at) =>
      sessions.map(async (session, of) => {
        const word = `${of}-${at}`
        return { word, of, answer: await answer(provider, 'ask', { word, delayMs: at % 3 }, session.call()) }
      }),
    )
    for (const { word, of, answer: got } of await Promise.all(calls)) {
      expect(got).toEqual({ action: 'accept', content: { word, by: ['ann', 'bob'][of] } })
    }
    for (const [of, { asked }] of sessions.entries()) {
      expect(asked).toHaveLength(50)
      expect(asked.filter((word) => !word.startsWith(`${of}-`))).toEqual([])
    }
    expect((await starts(project)) - before).toBe(1)
  })

  it('about its model or its folders is answered by its caller too', async () => {
    await using project = await openProject()
    const { provider } = await asking(project)
    const ann = openSession('ann', { capabilities: able })
    expect(await answer(provider, 'sample', {}, ann.call())).toMatchObject({ model: 'ann' })
    expect(await answer(provider, 'roots', {}, ann.call())).toEqual({ roots: [{ uri: 'file:///ann' }] })
  })

  it('is refused where no session has the turn, and counted', async () => {
    await using project = await openProject()
    const { mcp, provider } = await asking(project)
    const ann = openSession('ann', { capabilities: able })
    await provider.call('late', { word: 'out of the blue', delayMs: 100 }, ann.call())
    await until(async () => (await project.log()).some((line) => line.startsWith('late')))
    const [late] = (await project.log()).filter((line) => line.startsWith('late'))
    expect(late).toContain('AMBIGUOUS_ORIGIN')
    expect(ann.asked).toEqual([])
    expect(mcp.servers()[0]).toMatchObject({ unattributed: 1 })
  })

  it('is answered between calls where the operator gave the session a connection of its own', async () => {
    await using project = await openProject()
    const { mcp, provider } = await asking(project, { words: { isolation: 'session' } })
    const ann = openSession('ann', { capabilities: able })
    await provider.call('late', { word: 'later', delayMs: 50 }, ann.call())
    await until(() => ann.asked.length === 1)
    await until(async () => (await project.log()).includes('late "answered"'))
    expect(mcp.servers()[0]).toMatchObject({ unattributed: 0 })
  })

  it('after a call that was given up reaches nobody else, and the others go on elsewhere', async () => {
    await using project = await openProject()
    const { provider } = await asking(project)
    const ann = openSession('ann', { capabilities: able })
    const bob = openSession('bob', { capabilities: able })
    const pid = textOf(await provider.call('pid', {}, ann.call()))
    expect((await failureOf(provider.call('abandoned', { word: 'x' }, ann.call({ timeoutMs: 50 })))).code).toBe(
      'TOOL_OUTCOME_UNKNOWN',
    )
    expect(textOf(await provider.call('pid', {}, bob.call()))).not.toBe(pid)
    await provider.call('goOn', {}, bob.call())
    expect(textOf(await provider.call('pid', {}, ann.call()))).toBe(pid)
    await provider.call('goOn', {}, ann.call())
    expect(bob.asked).toEqual([])
    expect(ann.asked).toEqual(['x'])
  })

  it('to a caller who can not answer it is refused as a method that does not exist', async () => {
    await using project = await openProject()
    const { provider } = await asking(project)
    const bare = openSession('bare')
    const formOnly = openSession('form', { capabilities: { elicitation: {} } })
    expect(await answer(provider, 'ask', { word: 'x' }, bare.call())).toMatchObject({ code: -32_601 })
    expect(await answer(provider, 'visit', { id: '1' }, formOnly.call())).toMatchObject({ code: -32_601 })
    expect(await answer(provider, 'unknown', {}, formOnly.call())).toMatchObject({ code: -32_601 })
    expect(await answer(provider, 'broken', {}, formOnly.call())).toMatchObject({ code: -32_600 })
    expect([...bare.asked, ...formOnly.asked]).toEqual([])
  })

  it('takes its time from a person, not from the call', async () => {
    await using project = await openProject()
    const { provider } = await asking(project)
    const person = Promise.withResolvers<JsonObject>()
    const ann = openSession('ann', { capabilities: able, elicit: () => person.promise })
    const call = answer(provider, 'ask', { word: 'x' }, ann.call({ timeoutMs: 150 }))
    await until(() => ann.asked.length === 1)
    setTimeout(() => person.resolve({ action: 'decline' }), 400)
    expect(await call).toEqual({ action: 'decline' })
  })

  it('is over with the call that asked it', async () => {
    await using project = await openProject()
    const { provider } = await asking(project)
    const over = Promise.withResolvers<void>()
    const elicit = (_: JsonObject, signal: AbortSignal) =>
      new Promise<JsonObject>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          over.resolve()
          reject(signal.reason)
        })
      })
    const ann = openSession('ann', { capabilities: able, elicit })
    const stop = new AbortController()
    const call = failureOf(provider.call('ask', { word: 'x' }, ann.call({ signal: stop.signal })))
    await until(() => ann.asked.length === 1)
    stop.abort()
    expect((await call).code).toBe('TOOL_OUTCOME_UNKNOWN')
    await over.promise
  })

  it('that the server takes back is taken back from the person', async () => {
    await using project = await openProject()
    const { provider } = await asking(project)
    let takenBack = false
    const elicit = (_: JsonObject, signal: AbortSignal) =>
      new Promise<JsonObject>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          takenBack = true
          reject(signal.reason)
        })
      })
    const ann = openSession('ann', { capabilities: able, elicit })
    expect(textOf(await provider.call('takeBack', { word: 'x' }, ann.call()))).toBe('taken back')
    expect(ann.asked).toEqual(['x'])
    expect(takenBack).toBe(true)
  })

  it('by an address is told over to the session that was sent there', async () => {
    await using project = await openProject()
    const { mcp, provider } = await asking(project)
    const ann = openSession('ann', { capabilities: able })
    const bob = openSession('bob', { capabilities: able })
    await provider.call('visit', { id: 'one' }, ann.call())
    expect(await provider.call('goFirst', { id: 'two' }, bob.call())).toMatchObject({ isError: true })
    for (const id of ['one', 'two', 'two', 'three']) await provider.call('visited', { id }, bob.call())
    await until(() => mcp.servers()[0]?.unattributed === 2)
    expect(ann.heard).toEqual(['elicitation/complete one'])
    expect(bob.heard).toEqual(['elicitation/complete two'])
  })
})

describe('a tool that needs something of its caller', () => {
  it('is refused unsent to a caller who can not do it, and called for one who can', async () => {
    await using project = await openProject()
    const first = await asking(project)
    await first.mcp[Symbol.asyncDispose]()
    const lock = JSON.parse(await readFile(project.lockFile, 'utf8'))
    for (const tool of Object.values<{ definition: { name: string }; needs: string[] }>(lock.servers.a.tools)) {
      if (tool.definition.name === 'ask') tool.needs = ['elicitation']
    }
    await writeFile(project.lockFile, JSON.stringify(lock))
    const before = (await project.log()).length
    const { provider } = await asking(project)
    const failure = await failureOf(provider.call('ask', { word: 'x' }, openSession('bare').call()))
    expect(failure).toMatchObject({ code: 'CAPABILITY_MISSING' })
    expect(failure.message).toContain('elicitation')
    expect((await project.log()).slice(before)).toEqual([])
    const able = openSession('able', { capabilities: { elicitation: {} } })
    expect(await answer(provider, 'ask', { word: 'x' }, able.call())).toMatchObject({ action: 'accept' })
  })
})

describe('what a server is told of its client', () => {
  it('is what its callers can do, and callers who can do the same share one process', async () => {
    await using project = await openProject()
    const { mcp, provider } = await asking(project)
    for (let at = 0; at < 12; at += 1) {
      const session = openSession(`able-${at}`, { capabilities: { ...able, experimental: { at } } })
      expect(await answer(provider, 'capabilities', {}, session.call())).toEqual({
        elicitation: { form: {}, url: {} },
        roots: { listChanged: true },
        sampling: {},
      })
      session.end()
    }
    expect(await answer(provider, 'capabilities', {}, openSession('bare').call())).toEqual({})
    expect(mcp.servers()[0]).toMatchObject({ connections: 2 })
  })

  it('changes with the session whose folders count', async () => {
    await using project = await openProject()
    const { provider } = await asking(project)
    const told = async () => (await project.log()).filter((line) => line.endsWith('roots/list_changed')).length
    const [ann, bob] = ['ann', 'bob'].map((id) => openSession(id, { capabilities: { roots: {} } }))
    await provider.call('pid', {}, ann?.call() ?? expect.fail())
    await provider.call('pid', {}, ann?.call() ?? expect.fail())
    expect(await told()).toBe(0)
    expect(await answer(provider, 'roots', {}, bob?.call() ?? expect.fail())).toEqual({
      roots: [{ uri: 'file:///bob' }],
    })
    expect(await told()).toBe(1)
  })
})

describe('the meta fields of a call', () => {
  it("are the caller's own, with the key that a repetition would have too", async () => {
    await using project = await openProject()
    const { provider } = await asking(project)
    const call = openSession('ann').call({ meta: { 'x.example/a': 1, traceparent: '00-1-2-01' } })
    expect(await answer(provider, 'meta', {}, call)).toMatchObject({
      'x.example/a': 1,
      traceparent: '00-1-2-01',
      'rollcall/idempotencyKey': 'key-1',
    })
  })
})
