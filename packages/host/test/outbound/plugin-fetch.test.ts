import { definePlugin, defineTool, RegisterToolProvidersEvent, Type } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { createHost } from '../../src/create-host.ts'
import { localUser } from '../../src/gate/local-user.ts'
import type { OutboundFetch } from '../../src/outbound/outbound-fetch.ts'
import { unopened } from '../../src/providers/unopened.ts'
import { testPlugin } from '../../src/testing/test-plugin.ts'
import { refusedSpellings } from './address-spellings.ts'
import { listen } from './listen.ts'

const reader = definePlugin({
  setup({ on, fetch }) {
    const read = defineTool({
      name: 'read',
      description: 'Reads a page.',
      input: Type.Object({ url: Type.String() }),
      effect: 'read',
      dataClass: 'publicContent',
      execute: async ({ url }, { signal }) => (await fetch(url, { signal })).text(),
    })
    on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: [read] }))
  },
})

describe('the fetch of a plugin', () => {
  it('R-SEC-15 reaches no private address by itself', async () => {
    await using server = await listen()
    await using host = await createHost({ plugins: [{ appId: 'reader', plugin: reader }] })
    const outcome = await host.tools.call('reader__read', { url: server.origin }, { principal: localUser })
    expect(outcome).toMatchObject({ status: 'failed' })
    expect(outcome.text).toContain('private address')
    expect(server.connections()).toBe(0)
  })

  it.each(refusedSpellings)('R-SEC-15 reaches none %s, whatever the operator says', async (_how, url) => {
    await using tested = await testPlugin(reader, { appId: 'reader', allowPrivateNetwork: true })
    const outcome = await tested.call('read', { url })
    expect(outcome).toMatchObject({ status: 'failed' })
    expect(outcome.text).toContain('is not let out')
  })

  it.each([
    ['about its appId', { reader: { allowPrivateNetwork: true } }, 'ok'],
    ['about another of its appIds', { OTHER: { allowPrivateNetwork: true } }, 'ok'],
    ['that it may not', { reader: { allowPrivateNetwork: false } }, 'failed'],
    ['about somebody else', { stranger: { allowPrivateNetwork: true } }, 'failed'],
  ])("R-SEC-06 reaches one by the operator's word %s", async (_what, providers, status) => {
    await using server = await listen()
    await using host = await createHost({ plugins: [{ appId: ['reader', 'other'], plugin: reader }], providers })
    const outcome = await host.tools.call('reader__read', { url: server.origin }, { principal: localUser })
    expect(outcome).toMatchObject({ status, ...(status === 'ok' && { text: 'hello' }) })
    expect(server.connections()).toBe(status === 'ok' ? 1 : 0)
  })

  it('reaches a server of its own tests where they say so', async () => {
    await using server = await listen()
    await using tested = await testPlugin(reader, { appId: 'reader', allowPrivateNetwork: true })
    expect(await tested.call('read', { url: server.origin })).toMatchObject({ status: 'ok', text: 'hello' })
  })

  it('is the one that servers are connected with, and both end with the host', async () => {
    await using server = await listen()
    let given: OutboundFetch | undefined
    const host = await createHost({
      providers: { web: { server: { url: server.origin } } },
      connectMcp: async (_claim, { fetch }) => {
        given = fetch
        return unopened('only a test')
      },
    })
    const get = async () => (await given?.(server.origin, {}, { name: 'web', allowPrivate: true }))?.text()
    expect(await get()).toBe('hello')
    await host[Symbol.asyncDispose]()
    await expect(get()).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE', data: { sent: false } })
  })
})
