import { expect, it } from 'vitest'
import { localUser } from '../../src/gate/local-user.ts'
import type { Host } from '../../src/host-types.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { writingTool } from '../plugins-in-code.ts'
import { asLocal, hostWith, waitingFor } from './host-with.ts'

const approve = (host: Host, { ref, pending }: Awaited<ReturnType<typeof waitingFor>>) =>
  host.tools.answer(ref, { kind: 'approval', binds: pending.binds, approved: true }, localUser)

it('two who wait for one call both get its outcome, also after one of them gave up', async () => {
  const log: string[] = []
  await using app = await hostWith([writingTool('write', log)])
  const call = await waitingFor(app.host, 'milk')
  const patient = app.host.tools.wait(call.ref, { ...asLocal, timeoutMs: 20_000 })
  const alsoPatient = app.host.tools.wait(call.ref, { ...asLocal, timeoutMs: 20_000 })
  expect(await app.host.tools.wait(call.ref, { ...asLocal, timeoutMs: 1 })).toMatchObject({ status: 'waiting' })
  await approve(app.host, call)
  expect(await patient).toMatchObject({ status: 'ok' })
  expect(await alsoPatient).toMatchObject({ status: 'ok' })
  expect(log).toEqual(['milk'])
})

it('a call that nobody knows is not waited for', async () => {
  await using app = await hostWith([writingTool('write', [])])
  const options = { ...asLocal, timeoutMs: 600_000 }
  expect(await app.host.tools.wait({ stream: 'call/none', callId: 'none' }, options)).toMatchObject({
    code: 'APPROVAL_NOT_FOUND',
  })
})

it('a host that closes lets nobody wait, and leaves the call to another process', async () => {
  const log: string[] = []
  const store = createMemoryStore()
  const closing = await hostWith([writingTool('write', log)], { store })
  await using other = await hostWith([writingTool('write', log)], { store })
  const call = await waitingFor(closing.host, 'milk')
  const waited = closing.host.tools.wait(call.ref, { ...asLocal, timeoutMs: 600_000 })
  await new Promise((resolve) => setImmediate(resolve))
  await closing.host[Symbol.asyncDispose]()
  expect(await waited).toMatchObject({ status: 'failed', code: 'HOST_CLOSED' })
  await approve(other.host, call)
  expect(await closing.host.tools.resume(call.ref, asLocal)).toMatchObject({ code: 'HOST_CLOSED' })
  expect(await other.host.tools.resume(call.ref, asLocal)).toMatchObject({ status: 'ok' })
})

it('a caller that leaves after the approval and before the start has its call cancelled for everybody', async () => {
  const log: string[] = []
  const store = createMemoryStore()
  await using app = await hostWith([writingTool('write', log)], { store })
  await using other = await hostWith([writingTool('write', log)], { store })
  const call = await waitingFor(app.host, 'milk')
  const cancel = new AbortController()
  const waited = app.host.tools.wait(call.ref, { ...asLocal, timeoutMs: 60_000, signal: cancel.signal })
  await new Promise((resolve) => setImmediate(resolve))
  await approve(other.host, call)
  cancel.abort()
  expect(await waited).toMatchObject({ status: 'cancelled' })
  expect(await other.host.tools.resume(call.ref, asLocal)).toMatchObject({ status: 'cancelled' })
  expect(log).toEqual([])
})

it('what became stale is told to who waits, and executed by this process once it is approved again', async () => {
  const log: string[] = []
  let note = 'first'
  await using app = await hostWith([writingTool('write', log, { preview: () => [note] })])
  const call = await waitingFor(app.host, 'milk')
  const waited = app.host.tools.wait(call.ref, { ...asLocal, timeoutMs: 20_000 })
  note = 'second'
  await approve(app.host, call)
  const again = await waited
  if (again.status !== 'waiting' || again.pending.kind !== 'approval') throw new TypeError(again.status)
  expect(log).toEqual([])
  await approve(app.host, { ref: call.ref, pending: again.pending })
  await expect.poll(() => log).toEqual(['milk'])
})
