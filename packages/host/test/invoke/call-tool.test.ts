import { RollcallError } from '@rollcall/plugin'
import { expect, it } from 'vitest'
import { localClient } from '../../src/gate/local-user.ts'
import { readingTool, writingTool } from '../plugins-in-code.ts'
import { asLocal, brittleStore, eventsOf, hostWith } from './host-with.ts'

it('a store that fails anywhere before the call gives an outcome, not a rejection, and shows no path of its own', async () => {
  for (const part of ['set', 'get', 'append', 'heads']) {
    const store = brittleStore()
    const log: string[] = []
    await using app = await hostWith([writingTool('write', log)], { store })
    store.broken.add(part)
    const outcome = await app.host.tools.call('app__write', { text: 'x' }, asLocal)
    expect(outcome).toMatchObject({ status: 'failed', code: 'STORE_UNAVAILABLE' })
    expect(outcome.text).not.toContain('fire')
    expect(log).toEqual([])
    store.broken.clear()
  }
})

it('R-SEC-29 a name that nobody offers is shown without control characters, and kept short', async () => {
  await using app = await hostWith([readingTool('read')])
  const outcome = await app.host.tools.call(`\u001b[2J\r\n${'x'.repeat(100_000)}`, {}, asLocal)
  expect(outcome).toMatchObject({ status: 'denied', code: 'TOOL_NOT_FOUND' })
  expect(outcome.text).toMatch(/^[^\p{Cc}]{0,300}$/u)
  expect(JSON.stringify(await eventsOf(app.store, outcome)).length).toBeLessThan(2_000)
})

it('a caller that is no principal is refused as an outcome', async () => {
  await using app = await hostWith([readingTool('read')])
  expect(await app.host.tools.call('app__read', {}, {} as never)).toMatchObject({ status: 'failed' })
})

it('a principal whose `admin` is anything but true is none', async () => {
  await using app = await hostWith([readingTool('read', { adminOnly: true })])
  const principal = { ...localClient, admin: 'false' as never }
  expect(await app.host.tools.call('app__read', {}, { principal })).toMatchObject({ code: 'TOOL_DENIED' })
})

it('a listener to progress that throws costs the tool nothing, and hears nothing after the end', async () => {
  let late = (_step: number) => {}
  const heard: number[] = []
  const busy = readingTool('read', {
    execute(_args, { progress }) {
      late = progress
      progress(1)
      return 'done'
    },
  })
  await using app = await hostWith([busy])
  const onProgress = ({ done }: { readonly done: number }) => {
    heard.push(done)
    throw new TypeError('not listening')
  }
  expect(await app.host.tools.call('app__read', {}, { ...asLocal, onProgress })).toMatchObject({ text: 'done' })
  late(2)
  expect(heard).toEqual([1])
})

it('a caller that had left before the call makes it cancelled, and a write is not even begun', async () => {
  const log: string[] = []
  await using app = await hostWith([writingTool('write', log, { approval: 'notNeeded' })])
  const signal = AbortSignal.abort(new RollcallError('TOOL_TIMEOUT', 'a run gave up', { hint: '' }))
  const outcome = await app.host.tools.call('app__write', { text: 'x' }, { ...asLocal, signal })
  expect(outcome).toMatchObject({ status: 'cancelled' })
  expect((await eventsOf(app.store, outcome)).map(({ type }) => type)).not.toContain('call.started')
  expect(log).toEqual([])
})

it('a cancelled write of a plugin is unknown, whatever code its author throws', async () => {
  const cancel = new AbortController()
  const write = writingTool('write', [], {
    approval: 'notNeeded',
    execute() {
      cancel.abort()
      throw new RollcallError('SERVER_UNAVAILABLE', 'the second half failed', { hint: '' })
    },
  })
  await using app = await hostWith([write])
  const outcome = await app.host.tools.call('app__write', { text: 'x' }, { ...asLocal, signal: cancel.signal })
  expect(outcome).toMatchObject({ status: 'unknown', code: 'TOOL_OUTCOME_UNKNOWN' })
})

it('a result that can not be read is no call that was not executed', async () => {
  const store = brittleStore()
  await using app = await hostWith([], {
    store,
    providers: { remote: { server: { command: 'node' }, preset: 'docs', approval: 'always' } },
    connectMcp: async () => ({
      list: async () => ({
        tools: [{ name: 'odd', definition: { description: 'Odd.', inputSchema: { type: 'object' } } }],
        holds: [],
        findings: [],
        detail: '',
      }),
      call: async () => ({ structured: { n: 1n } }) as never,
      async [Symbol.asyncDispose]() {},
    }),
  })
  for (const { name, appId } of app.host.tools.all())
    if (appId === 'remote') await app.host.switches.enable({ kind: 'tool', name }, 'test')
  const waiting = await app.host.tools.call('remote__odd', {}, asLocal)
  if (waiting.status !== 'waiting') throw new TypeError(JSON.stringify(waiting))
  const { binds } = waiting.pending
  await app.host.tools.answer(waiting.pending, { kind: 'approval', approved: true, binds }, asLocal.principal)
  const outcome = await app.host.tools.resume(waiting.pending, asLocal)
  expect(outcome).toMatchObject({ status: 'failed', code: 'TOOL_FAILED', text: expect.stringContaining('ran') })
  expect((await eventsOf(store, outcome)).at(-1)).toMatchObject({ type: 'call.ended', status: 'failed' })
})
