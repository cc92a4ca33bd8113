import type { CallerPort } from '@rollcall/host'
import type { JsonObject, Principal } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { serveStub } from './face-clients.ts'
import { ask, connectStateless, type RawAnswer } from './stateless-clients.ts'
import { answered, ok, type StubTool } from './stub-host.ts'
import { until } from './until.ts'

const everything = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const accepted = (word: string) => ({ action: 'accept', content: { word } })
const text = (value: unknown) => ok({ content: [{ type: 'text', text: JSON.stringify(value) }] })
const question = (message: string, key?: string) => ({
  message,
  requestedSchema: { type: 'object', properties: { word: { type: 'string' } } },
  ...(key !== undefined && { _meta: { 'rollcall/inputKey': key } }),
})

/** A tool that asks, and what became of its calls. */
function asking(way: (caller: CallerPort, signal: AbortSignal) => Promise<unknown>) {
  const runs: { signal: AbortSignal | undefined; refusal?: unknown }[] = []
  const tool: StubTool = {
    name: 'notes__ask',
    async run(_, { caller, signal }) {
      const run: (typeof runs)[number] = { signal }
      runs.push(run)
      try {
        return text(await way(caller ?? { capabilities: {} }, signal ?? new AbortController().signal))
      } catch (error) {
        run.refusal = error
        throw error
      }
    },
  }
  return { tool, runs }
}
const elicitOnce = () =>
  asking((caller, signal) => caller.elicit?.(question('Which word?'), signal) ?? Promise.reject())

type Served = Awaited<ReturnType<typeof serveStub>>
const call = (served: Served, more: JsonObject = {}, headers: Record<string, string> = {}) =>
  ask(served, 'tools/call', { name: 'notes__ask', arguments: { a: 1 }, ...more }, { capabilities: everything, headers })
const stateIn = ({ result }: RawAnswer) => ({ requestState: String(result?.requestState) })

describe('a call that asks its client', () => {
  it('is answered by what it wants to know, and goes on with the answer, once', async () => {
    const { tool, runs } = elicitOnce()
    await using served = await serveStub([tool])
    const first = await call(served)
    expect(first.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        'elicitation-1': { method: 'elicitation/create', params: { message: 'Which word?' } },
      },
    })
    expect(stateIn(first).requestState).toMatch(/^[\w-]{43}$/)
    const second = await call(served, { ...stateIn(first), inputResponses: { 'elicitation-1': accepted('yes') } })
    expect(second.result).toMatchObject({
      resultType: 'complete',
      content: [{ text: JSON.stringify(accepted('yes')) }],
    })
    expect(runs).toHaveLength(1)
  })

  it('works without further ado for a client of the SDK', async () => {
    const { tool, runs } = asking(async (caller, signal) => [
      await caller.elicit?.(question('Which word?'), signal),
      await caller.elicit?.(
        { mode: 'url', message: 'Go there.', url: 'https://x.example/', elicitationId: 'e' },
        signal,
      ),
      await caller.sample?.({ messages: [], maxTokens: 1 }, signal),
      await caller.roots?.(signal),
    ])
    await using served = await serveStub([tool])
    const asked: string[] = []
    await using client = await connectStateless(served, everything, (made) => {
      made.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(params.message)
        return params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { word: 'hello' } }
      })
      made.setRequestHandler('sampling/createMessage', () => ({
        model: 'm',
        role: 'assistant',
        content: { type: 'text', text: 'said' },
      }))
      made.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///x' }] }))
    })
    const { content } = await client.callTool({ name: 'notes__ask', arguments: {} })
    const [block] = content
    expect(JSON.parse(block?.type === 'text' ? block.text : '')).toMatchObject([
      { content: { word: 'hello' } },
      { action: 'accept' },
      { content: { text: 'said' } },
      { roots: [{ uri: 'file:///x' }] },
    ])
    expect(asked).toEqual(['Which word?', 'Go there.'])
    expect(runs).toHaveLength(1)
  })

  it('puts the questions of one moment together, and asks again for what was not answered', async () => {
    const { tool, runs } = asking((caller, signal) =>
      Promise.all([
        caller.elicit?.(question('A?', 'a'), signal),
        caller.elicit?.(question('B?'), signal),
        caller.roots?.(signal),
      ]),
    )
    await using served = await serveStub([tool])
    const first = await call(served)
    expect(Object.keys(first.result?.inputRequests as object)).toEqual(['a', 'elicitation-1', 'roots-1'])
    expect(JSON.stringify(first.result)).not.toContain('rollcall/inputKey')
    const some = { a: accepted('a'), 'roots-1': { roots: 'none' }, 'elicitation-1': { action: 'perhaps' }, x: {} }
    const second = await call(served, { ...stateIn(first), inputResponses: some })
    expect(Object.keys(second.result?.inputRequests as object)).toEqual(['elicitation-1', 'roots-1'])
    const rest = { 'roots-1': { roots: [] }, 'elicitation-1': { action: 'decline' } }
    const third = await call(served, { ...stateIn(second), inputResponses: rest })
    expect(JSON.parse(textOf(third))).toEqual([accepted('a'), { action: 'decline' }, { roots: [] }])
    expect(runs).toHaveLength(1)
  })

  it('takes an answer that the client sent ahead, to a question that has a name of its own', async () => {
    const { tool } = asking(async (caller, signal) => caller.elicit?.(question('A?', 'a'), signal))
    await using served = await serveStub([tool])
    const answer = await call(served, { inputResponses: { a: accepted('ahead'), other: {} } })
    expect(JSON.parse(textOf(answer))).toEqual(accepted('ahead'))
  })

  it.each(['prompts/get', 'resources/read'])('may be %s too', async (method) => {
    const page = {
      uri: 'memo://one',
      original: 'memo://one',
      appId: 'notes',
      definition: { uri: 'memo://one', name: 'one' },
    }
    await using served = await serveStub([], {
      resources: [page] as never,
      async ask(_method, _about, { caller, signal }) {
        return answered({ said: (await caller?.elicit?.(question('Q?', 'q'), signal as AbortSignal)) ?? null })
      },
    })
    const params = method === 'prompts/get' ? { name: 'notes__p' } : { uri: 'memo://one' }
    const first = await ask(served, method, params, { capabilities: everything })
    expect(first.result).toMatchObject({ resultType: 'input_required' })
    const more = { ...stateIn(first), inputResponses: { q: accepted('w') } }
    const second = await ask(served, method, { ...params, ...more }, { capabilities: everything })
    expect(second.result).toMatchObject({ resultType: 'complete', said: accepted('w') })
  })

  it('asks nothing that the client has not declared', async () => {
    const seen: unknown[] = []
    const { tool } = asking(async ({ elicit, sample, roots, capabilities }, signal) => {
      seen.push(capabilities, sample, roots)
      return elicit?.({ mode: 'url', message: 'Go.', url: 'https://x.example/' }, signal).catch(String)
    })
    await using served = await serveStub([tool])
    const params = { name: 'notes__ask' }
    const { result } = await ask(served, 'tools/call', params, { capabilities: { elicitation: {} } })
    expect(JSON.stringify(result)).toContain('not capable of that kind of elicitation')
    expect(seen).toEqual([{ elicitation: {} }, undefined, undefined])
  })
})

describe('the state of a call that waits', () => {
  it('holds once, and for that request only', async () => {
    const { tool, runs } = elicitOnce()
    await using served = await serveStub([tool])
    const state = stateIn(await call(served))
    const reply = { ...state, inputResponses: { 'elicitation-1': accepted('yes') } }
    for (const wrong of [
      { ...reply, arguments: { a: 2 } },
      { ...reply, requestState: `${state.requestState}x` },
      { ...reply, requestState: 7 },
    ]) {
      const refused = await call(served, wrong)
      expect(refused.error).toMatchObject({ code: -32602, data: { reason: 'invalid_request_state' } })
    }
    expect((await call(served, reply)).result).toMatchObject({ resultType: 'complete' })
    expect((await call(served, reply)).error?.code).toBe(-32602)
    expect(runs).toHaveLength(1)
  })

  it('R-SEC-05 is worth nothing to another principal, and stays good for its own', async () => {
    const { tool, runs } = elicitOnce()
    const authenticate = async ({ headers }: { headers: Headers }) => ({
      principal: { id: headers.get('x-person') ?? '', kind: 'person', zone: 'local', groups: [] } as never as Principal,
    })
    await using served = await serveStub([tool], {}, { authenticate })
    const ann = { 'x-person': 'ann' }
    const reply = { ...stateIn(await call(served, {}, ann)), inputResponses: { 'elicitation-1': accepted('hers') } }
    expect((await call(served, reply, { 'x-person': 'bob' })).error?.code).toBe(-32602)
    expect(textOf(await call(served, reply, ann))).toContain('hers')
    expect(runs).toHaveLength(1)
  })

  it('R-SEC-05 brings each of fifty answers to the call that asked for it', async () => {
    const tool: StubTool = {
      name: 'notes__ask',
      run: async (args, { caller, signal }) =>
        text([args, await caller?.elicit?.(question(JSON.stringify(args)), signal as AbortSignal)]),
    }
    await using served = await serveStub([tool], {}, { limits: { parked: 50 } })
    const numbers = Array.from({ length: 50 }, (_, number) => number)
    const firsts = await Promise.all(numbers.map((number) => call(served, { arguments: { number } })))
    const seconds = await Promise.all(
      firsts.map((first, number) => {
        const inputResponses = { 'elicitation-1': accepted(String(number)) }
        return call(served, { arguments: { number }, ...stateIn(first), inputResponses })
      }),
    )
    expect(seconds.map((second) => JSON.parse(textOf(second)))).toEqual(
      numbers.map((number) => [{ number }, accepted(String(number))]),
    )
  })

  it('is kept for so many calls of one principal: the next one is not asked', async () => {
    const { tool, runs } = elicitOnce()
    await using served = await serveStub([tool], {}, { limits: { parked: 2 } })
    const first = await call(served)
    await call(served)
    expect((await call(served)).error).toMatchObject({ code: -32603 })
    expect(String(runs[2]?.refusal)).toContain('Too many calls of this client wait')
    await call(served, { ...stateIn(first), inputResponses: { 'elicitation-1': accepted('yes') } })
    expect((await call(served)).result).toMatchObject({ resultType: 'input_required' })
  })

  it('is kept no longer than is said: the call is cancelled then', async () => {
    const { tool, runs } = elicitOnce()
    await using served = await serveStub([tool], {}, { limits: { parkedMs: 50 } })
    const state = stateIn(await call(served))
    await until(() => runs[0]?.refusal !== undefined)
    expect(runs[0]?.signal?.aborted).toBe(true)
    const late = await call(served, { ...state, inputResponses: { 'elicitation-1': accepted('late') } })
    expect(late.error).toMatchObject({ code: -32602, data: { reason: 'invalid_request_state' } })
    expect(runs).toHaveLength(1)
  })

  it('ends with the face: its calls are cancelled', async () => {
    const { tool, runs } = elicitOnce()
    const served = await serveStub([tool])
    await call(served)
    await served[Symbol.asyncDispose]()
    await until(() => runs[0]?.refusal !== undefined)
    expect(runs[0]?.signal?.aborted).toBe(true)
  })

  it('gives the result of a call that ended meanwhile', async () => {
    const giveUp = new AbortController()
    const { tool } = asking(
      (caller) => caller.elicit?.(question('Q?'), giveUp.signal).catch(() => 'went on') ?? Promise.reject(),
    )
    await using served = await serveStub([tool])
    const first = await call(served)
    giveUp.abort()
    expect(JSON.parse(textOf(await call(served, stateIn(first))))).toBe('went on')
  })
})

function textOf({ result }: RawAnswer): string {
  const [block] = (result?.content ?? []) as [{ text: string }?]
  return block?.text ?? JSON.stringify(result)
}
