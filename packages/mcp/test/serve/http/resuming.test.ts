import type { CallOptions, ToolOutcome } from '@rollcall/host'
import { afterEach, describe, expect, it } from 'vitest'
import { eventsOf, openRawSession, type RawSession, serveStub } from '../face-clients.ts'
import { ok, type StubTool } from '../stub-host.ts'
import { until } from '../until.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

/** A tool that ends when it is told to. */
function steered() {
  const calls: CallOptions[] = []
  const end = Promise.withResolvers<ToolOutcome>()
  const tool: StubTool = {
    name: 'notes__slow',
    run(_, options) {
      calls.push(options)
      options.signal?.addEventListener('abort', () =>
        end.resolve({ status: 'cancelled', callId: 'c', text: 'cancelled', durationMs: 1 }),
      )
      return end.promise
    },
  }
  return { tool, calls, finish: () => end.resolve(ok({ content: [{ type: 'text', text: 'done' }] })) }
}

const call = {
  jsonrpc: '2.0',
  id: 'mine',
  method: 'tools/call',
  params: { name: 'notes__slow', arguments: {}, _meta: { progressToken: 'p' } },
}

async function serving(limits: { resumeMs?: number; streamMs?: number }, version?: string) {
  const slow = steered()
  const server = await serveStub([slow.tool], {}, { limits })
  open.push(server)
  return { ...slow, server, session: await openRawSession(server, version) }
}

async function begun(session: RawSession, calls: readonly CallOptions[]) {
  const answer = session.post(call)
  await until(() => calls.length === 1)
  calls[0]?.onProgress?.({ done: 1 })
  return eventsOf(await answer)
}

describe('an answer whose stream broke off', () => {
  it('goes on where the client comes back, without losing or repeating anything', async () => {
    const { session, calls, finish } = await serving({})
    const events = await begun(session, calls)
    const first = await events.next()
    expect(first).toMatchObject({ data: '', retry: '1000' })
    const second = await events.next()
    expect(JSON.parse(second?.data ?? '')).toMatchObject({ params: { progress: 1 } })
    await events.leave()
    calls[0]?.onProgress?.({ done: 2 })
    expect(calls[0]?.signal?.aborted).toBe(false)

    const resumed = eventsOf(await session.get(second?.id))
    expect(JSON.parse((await resumed.next())?.data ?? '')).toMatchObject({ params: { progress: 2 } })
    finish()
    expect(JSON.parse((await resumed.next())?.data ?? '')).toMatchObject({
      id: 'mine',
      result: { content: [{ text: 'done' }] },
    })
    expect(await resumed.next()).toBeUndefined()
  })

  it('is kept for a client that comes back after its end', async () => {
    const { session, calls, finish } = await serving({})
    const events = await begun(session, calls)
    const first = await events.next()
    await events.leave()
    finish()
    const resumed = eventsOf(await session.get(first?.id))
    expect(JSON.parse((await resumed.next())?.data ?? '')).toMatchObject({ params: { progress: 1 } })
    expect(JSON.parse((await resumed.next())?.data ?? '')).toMatchObject({ id: 'mine' })
    expect(await resumed.next()).toBeUndefined()
  })

  it('is closed by us after the time that was set, and the client comes back for the rest', async () => {
    const { session, calls, finish } = await serving({ streamMs: 30 })
    const events = await begun(session, calls)
    const seen = []
    for (let event = await events.next(); event !== undefined; event = await events.next()) seen.push(event)
    expect(seen).toHaveLength(2)
    finish()
    const resumed = eventsOf(await session.get(seen[1]?.id))
    expect(JSON.parse((await resumed.next())?.data ?? '')).toMatchObject({ id: 'mine' })
  })

  it('is cancelled when the client does not come back in time', async () => {
    const { session, calls } = await serving({ resumeMs: 30 })
    const events = await begun(session, calls)
    await events.next()
    await events.leave()
    await until(() => calls[0]?.signal?.aborted === true)
  })

  it('is cancelled at once where the revision knows no coming back', async () => {
    const { session, calls } = await serving({ resumeMs: 60_000 }, '2025-06-18')
    const events = await begun(session, calls)
    expect(await events.next()).not.toHaveProperty('id')
    await events.leave()
    await until(() => calls[0]?.signal?.aborted === true)
  })
})

describe('event ids', () => {
  it('belong to their session, and unknown ones are refused', async () => {
    const { session, calls, finish, server } = await serving({})
    const events = await begun(session, calls)
    const first = await events.next()
    const other = await openRawSession(server)
    for (const [who, id] of [
      [other, first?.id],
      [session, '99_1'],
      [session, 'x'],
      [session, ''],
    ] as const) {
      expect((await who.get(id)).status).toBe(400)
    }
    finish()
    await events.leave()
  })

  it('take up the stream of the session as well', async () => {
    const server = await serveStub([])
    open.push(server)
    const session = await openRawSession(server)
    await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    const events = eventsOf(await session.get())
    const first = await events.next()
    expect(first).toMatchObject({ data: '' })
    await events.leave()
    server.change([{ name: 'notes__new' }])
    const told = async () => {
      const resumed = eventsOf(await session.get(first?.id))
      await resumed.next()
      const event = await resumed.next()
      await resumed.leave()
      return JSON.parse(event?.data ?? '{}').method
    }
    expect(await told()).toBe('notifications/tools/list_changed')
  })
})

describe('a client that names event streams first', () => {
  it('hears at once, from an event that says how to come back', async () => {
    const { session, calls, finish } = await serving({})
    const response = await session.post(call, { accept: 'text/event-stream, application/json' })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = eventsOf(response)
    expect(await events.next()).toMatchObject({ data: '', id: expect.any(String) })
    await until(() => calls.length === 1)
    finish()
    expect(JSON.parse((await events.next())?.data ?? '')).toMatchObject({ id: 'mine' })
  })
})
