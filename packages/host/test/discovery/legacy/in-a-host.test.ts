import { definePlugin, defineTool, RegisterToolProvidersEvent } from '@rollcall/plugin'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHost, localUser } from '../../../src/index.ts'
import { makePackages } from './make-plugin.ts'

const who = { principal: localUser }
let packages: Awaited<ReturnType<typeof makePackages>>

beforeEach(async () => {
  packages = await makePackages()
})

afterEach(() => packages.remove())

const announcing = definePlugin({
  setup({ on }) {
    const where = defineTool({
      name: 'where',
      description: 'Where this answer comes from.',
      effect: 'read',
      dataClass: 'publicContent',
      execute: () => 'the listener',
    })
    on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: [where] }))
  },
})

const legacyEntry = (ids: readonly string[]) => `
  const descriptor = (id) => ({ id, name: id, description: 'Old.', scope: 'read', dataClass: 'publicContent' })
  const provider = {
    getAppId: () => 'notes',
    getTools: () => ${JSON.stringify(ids)}.map(descriptor),
    invokeTool: (id) => id + ' of the alias',
  }
  export default { register: (services) => services.register('ToolProvider::notes', () => provider) }
`

const writeLegacy = (...ids: readonly string[]) =>
  packages.write(
    'notes',
    { type: 'module', rollcall: { appId: 'notes', entry: './plugin.js' } },
    { 'plugin.js': legacyEntry(ids) },
  )

describe('a host with unmigrated plugins', () => {
  it('R-DISC-02 a plugin that announces and has the alias gives one provider, and the alias is reported', async () => {
    const alias = { getAppId: () => 'notes', getTools: () => [], invokeTool: () => 'the alias' }
    await using host = await createHost({
      plugins: [{ appId: 'notes', plugin: announcing }],
      services: { has: (name) => name === 'ToolProvider::notes', get: () => alias },
    })
    const { providers, findings } = host.report()
    expect(providers.filter(({ appId }) => appId === 'notes')).toMatchObject([
      { source: 'announced', state: 'active', tools: 1 },
      { source: 'legacy', state: 'skipped', code: 'PROVIDER_SUPERSEDED' },
    ])
    expect(findings).toMatchObject([{ code: 'PROVIDER_SUPERSEDED', severity: 'info' }])
    expect(await host.tools.call('notes__where', {}, who)).toMatchObject({ status: 'ok', text: 'the listener' })
  })

  it('R-DISC-14 a descriptor with a foreign prefix is absent and not callable, and the others are there', async () => {
    const folder = await writeLegacy('notes.where', 'weather.where')
    await using host = await createHost({ plugins: [folder] })
    const names = host.tools.all().map(({ name }) => name)
    expect(names).toContain('notes__where')
    for (const name of ['weather__where', 'notes__weather.where', 'notes__weather_where']) {
      expect(names).not.toContain(name)
      expect((await host.tools.call(name, {}, who)).status).not.toBe('ok')
    }
    expect(host.report().findings).toContainEqual(
      expect.objectContaining({ code: 'TOOL_INVALID', migration: 'MIG009' }),
    )
  })

  it('R-DISC-27 words about a legacy provider apply to it without a finding', async () => {
    const folder = await writeLegacy('notes.where')
    await using host = await createHost({
      plugins: [folder],
      legacyScan: 'on',
      providers: { notes: { dataClass: 'editorContent' } },
    })
    expect(host.report().findings).toEqual([])
    expect(host.tools.all().find(({ name }) => name === 'notes__where')?.traits.dataClass).toBe('editorContent')
    expect(await host.tools.call('notes__where', {}, who)).toMatchObject({ text: 'notes.where of the alias' })
  })

  it('R-DISC-27 a server of the configuration takes the appId of a legacy provider, and the finding names both', async () => {
    const folder = await writeLegacy('notes.where')
    await using host = await createHost({
      plugins: [folder],
      legacyScan: 'on',
      providers: { notes: { server: { command: 'node', args: ['server.mjs'] } } },
    })
    const { findings, providers } = host.report()
    expect(providers.filter(({ appId }) => appId === 'notes')).toMatchObject([
      { source: 'configured', state: 'held' },
      { source: 'legacy', state: 'skipped', code: 'PROVIDER_DUPLICATE' },
    ])
    const message = findings.find(({ code }) => code === 'PROVIDER_DUPLICATE')?.message
    expect(message).toContain('providers.notes')
    expect(message).toContain('notes (legacy')
  })

  it('keeps a legacy provider open over a refresh, with the same tools', async () => {
    const folder = await writeLegacy('notes.where')
    await using host = await createHost({ plugins: [folder] })
    const before = host.tools.all().map(({ name, digest }) => `${name} ${digest}`)
    await host.refresh()
    expect(host.tools.all().map(({ name, digest }) => `${name} ${digest}`)).toEqual(before)
    expect(await host.tools.call('notes__where', {}, who)).toMatchObject({ status: 'ok' })
  })

  it('a dry run takes nothing away from what can be called', async () => {
    const folder = await writeLegacy('notes.where')
    await using host = await createHost({ plugins: [folder] })
    expect(await host.plan()).toMatchObject({ added: [], removed: [], changed: [] })
    expect(await host.tools.call('notes__where', {}, who)).toMatchObject({ status: 'ok' })
  })
})
