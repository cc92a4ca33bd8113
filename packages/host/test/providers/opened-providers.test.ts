import { definePlugin, RegisterToolProvidersEvent } from '@rollcall/plugin'
import { expect, it } from 'vitest'
import { createHost } from '../../src/create-host.ts'
import { localUser } from '../../src/gate/local-user.ts'
import type { McpClaim, OpenProvider } from '../../src/providers/provider.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { announcing, pluginWith, readingTool } from '../plugins-in-code.ts'

const asLocal = { principal: localUser }

/** A connected server with one reading tool, that knows whether it was closed. */
function fakeServer(change: Partial<OpenProvider> = {}): OpenProvider & { closed: number } {
  const server: OpenProvider & { closed: number } = {
    closed: 0,
    list: async () => ({
      tools: [{ name: 'ask', definition: { description: 'Asks.', inputSchema: { type: 'object' } } }],
      holds: [],
      findings: [],
      detail: '',
    }),
    call: async () => ({ content: [{ type: 'text', text: `closed ${server.closed}` }] }),
    async [Symbol.asyncDispose]() {
      server.closed++
    },
    ...change,
  }
  return server
}

const words = { effect: 'read', dataClass: 'publicContent', approval: 'notNeeded' } as const

it('a server that can not be connected costs its own tools, and is tried again at the next refresh', async () => {
  let isDown = true
  await using host = await createHost({
    plugins: [pluginWith('good', readingTool('hi'))],
    providers: { remote: { server: { command: 'node' }, ...words } },
    connectMcp: async () => {
      if (isDown) throw new TypeError('no such thing')
      return fakeServer()
    },
  })
  const state = () => host.report().providers.find(({ appId }) => appId === 'remote')?.state
  expect(state()).toBe('failed')
  expect(host.report().findings).toContainEqual(expect.objectContaining({ code: 'PROVIDER_LIST_FAILED' }))
  expect(await host.tools.call('good__hi', {}, asLocal)).toMatchObject({ status: 'ok' })
  isDown = false
  await host.refresh()
  expect(state()).not.toBe('failed')
})

it('a replaced provider serves until the catalogue is replaced, and is closed after its last call', async () => {
  const lists = Promise.withResolvers<void>()
  const running = Promise.withResolvers<void>()
  const began = Promise.withResolvers<void>()
  const old = fakeServer({
    async call() {
      began.resolve()
      await running.promise
      return { content: [{ type: 'text', text: `closed ${old.closed}` }] }
    },
  })
  const fresh = fakeServer()
  const whole = fresh.list
  fresh.list = async (signal) => {
    await lists.promise
    return whole(signal)
  }
  const servers = [old, fresh]
  let argument = 'one'
  const plugin = definePlugin({
    setup: ({ on }) =>
      void on(RegisterToolProvidersEvent, (event) =>
        event.announce({ kind: 'mcp', server: { command: 'node', args: [argument] } }),
      ),
  })
  await using host = await createHost({
    plugins: [{ appId: 'remote', plugin }],
    providers: { remote: words },
    connectMcp: async () => servers.shift() ?? fakeServer(),
  })
  for (const { name } of host.tools.all())
    if (name === 'remote__ask') await host.switches.enable({ kind: 'tool', name }, 'jo')
  argument = 'two'
  const refreshed = host.refresh()
  await expect.poll(() => servers.length).toBe(0)
  const early = host.tools.call('remote__ask', {}, asLocal)
  await began.promise
  expect(old.closed).toBe(0)
  lists.resolve()
  await refreshed
  expect(old.closed).toBe(0)
  // Calls that come now go to the new one, and hold the old one up no longer.
  const later = host.tools.call('remote__ask', {}, asLocal)
  running.resolve()
  expect(await early).toMatchObject({ text: 'closed 0' })
  await later
  await expect.poll(() => old.closed).toBe(1)
  expect(fresh.closed).toBe(0)
})

it('a provider whose holds change while the host boots is listed again, and one that tells of a closed host is not', async () => {
  let tell = () => {}
  let lists = 0
  const store = createMemoryStore()
  const server = fakeServer({
    onChanged(listener) {
      tell = listener
      return () => {}
    },
  })
  const whole = server.list
  server.list = async (signal) => {
    lists++
    if (lists === 1) queueMicrotask(tell)
    return whole(signal)
  }
  const host = await createHost({
    store,
    plugins: [{ appId: 'p', plugin: announcing() }],
    providers: { remote: { server: { command: 'node' }, ...words } },
    connectMcp: async (_claim: McpClaim) => server,
  })
  await expect.poll(() => lists).toBe(2)
  await host[Symbol.asyncDispose]()
  tell()
  await new Promise((resolve) => setImmediate(resolve))
  expect(lists).toBe(2)
  expect(server.closed).toBe(1)
})
