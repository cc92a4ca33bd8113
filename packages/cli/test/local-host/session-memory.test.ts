import { describe, expect, it } from 'vitest'
import { SessionMemory } from '../../src/local-host/session-memory.ts'

const line = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message })
const initialize = line({ id: 0, method: 'initialize', params: { capabilities: {} } })
const initialized = line({ method: 'notifications/initialized' })

function begun(...lines: readonly string[]): SessionMemory {
  const memory = new SessionMemory()
  memory.sent(initialize)
  memory.received(line({ id: 0, result: {} }))
  memory.sent(initialized)
  for (const each of lines) memory.sent(each)
  return memory
}

const methods = (lines: readonly string[]) => lines.map((each) => JSON.parse(each).method)

describe('what a bridge remembers', () => {
  it('begins the conversation anew under an id of its own, whose answer is for nobody', () => {
    const memory = begun()
    const [first = '', second] = memory.replay()
    expect([JSON.parse(first).method, second]).toEqual(['initialize', initialized])
    expect(memory.received(line({ id: JSON.parse(first).id, result: {} }))).toBeUndefined()
    expect(memory.received(line({ id: 7, result: {} }))).toBe(line({ id: 7, result: {} }))
  })

  it('repeats a beginning that was not answered as it was', () => {
    const memory = new SessionMemory()
    memory.sent(initialize)
    expect(memory.cut()).toEqual([])
    expect(memory.replay()).toEqual([initialize])
  })

  it('never repeats a call, and tells the client that its end is not known', () => {
    const call = line({ id: 'a', method: 'tools/call', params: { name: 'x' } })
    const list = line({ id: 'b', method: 'tools/list' })
    const memory = begun(call, list)
    const [told = ''] = memory.cut()
    expect(JSON.parse(told)).toMatchObject({
      id: 'a',
      error: { code: -32_000, data: { code: 'TOOL_OUTCOME_UNKNOWN' } },
    })
    expect(memory.replay()).toContain(list)
    expect(memory.replay()).not.toContain(call)
  })

  it('asks again for the log level and for the resources that are subscribed to now', () => {
    const subscribe = (id: number, uri: string) => line({ id, method: 'resources/subscribe', params: { uri } })
    const memory = begun(
      line({ id: 1, method: 'logging/setLevel', params: { level: 'debug' } }),
      subscribe(2, 'a:1'),
      subscribe(3, 'a:2'),
      line({ id: 4, method: 'resources/unsubscribe', params: { uri: 'a:1' } }),
    )
    for (const id of [1, 2, 3, 4]) memory.received(line({ id, result: {} }))
    const replayed = memory.replay()
    expect(methods(replayed)).toEqual([
      'initialize',
      'notifications/initialized',
      'logging/setLevel',
      'resources/subscribe',
    ])
    expect(replayed.at(-1)).toContain('a:2')
  })

  it('R-SEC-05 never gives the answer to a host that is gone to the next one, which counts its questions anew', () => {
    const memory = begun()
    const ask = () => JSON.parse(memory.received(line({ id: 0, method: 'elicitation/create', params: {} })) ?? '{}')
    const [first] = [ask()]
    expect(memory.cut().map((each) => JSON.parse(each))).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: first.id } },
    ])
    const second = ask()
    expect(second.id).not.toBe(first.id)
    expect(memory.sent(line({ id: first.id, result: { action: 'accept' } }))).toBeUndefined()
    const answer = memory.sent(line({ id: second.id, result: { action: 'decline' } })) ?? '{}'
    expect(JSON.parse(answer)).toMatchObject({ id: 0, result: { action: 'decline' } })
    expect(memory.sent(line({ id: second.id, result: { action: 'accept' } }))).toBeUndefined()
  })

  it('passes on that a question is taken back', () => {
    const memory = begun()
    const { id } = JSON.parse(memory.received(line({ id: 3, method: 'roots/list' })) ?? '{}')
    const taken = memory.received(line({ method: 'notifications/cancelled', params: { requestId: 3 } })) ?? '{}'
    expect(JSON.parse(taken).params.requestId).toBe(id)
    expect(memory.sent(line({ id, result: { roots: [] } }))).toBeUndefined()
  })

  it('forgets what the client has cancelled', () => {
    const list = line({ id: 'b', method: 'tools/list' })
    const memory = begun(list, line({ id: 'c', method: 'tools/call' }))
    for (const requestId of ['b', 'c']) memory.sent(line({ method: 'notifications/cancelled', params: { requestId } }))
    expect(memory.cut()).toEqual([])
    expect(memory.replay()).not.toContain(list)
  })

  it('lets through what is no message at all', () => {
    const memory = begun('no json', '[1]', 'null')
    expect(memory.received('no json')).toBe('no json')
    expect(methods(memory.changes())).toHaveLength(3)
  })
})
