import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHost, type HostOptions, localUser } from '@rollcall/host'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

const plugin = fileURLToPath(new URL('..', import.meta.url))
const who = { principal: localUser }
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-notes-'))
  vi.stubEnv('NOTES_FILE', join(folder, 'notes.json'))
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

const boot = (options: HostOptions = {}) => createHost({ plugins: [plugin], ...options })

describe('the notes plugin', () => {
  it('is found by its container alias, with a warning that says so', async () => {
    await using host = await boot()
    const { providers, findings } = host.report()
    expect(providers).toContainEqual(
      expect.objectContaining({ appId: 'notes', source: 'legacy', state: 'active', kind: 'builtin', tools: 2 }),
    )
    expect(findings).toMatchObject([{ code: 'LEGACY_ALIAS', severity: 'warn', about: { appId: 'notes' } }])
  })

  it('is not looked for where the scan is off', async () => {
    await using host = await boot({ legacyScan: 'off' })
    expect(host.tools.all().filter(({ appId }) => appId === 'notes')).toEqual([])
  })

  it('lists at once, and adds once it is switched on and a person has approved', async () => {
    await using host = await boot()
    expect(await host.tools.call('notes__list', {}, who)).toMatchObject({ status: 'ok', structured: { notes: [] } })
    expect(await host.tools.call('notes__add', { text: 'Buy milk' }, who)).toMatchObject({ status: 'denied' })

    await host.switches.enable({ kind: 'tool', name: 'notes__add' }, 'a test')
    const asked = await host.tools.call('notes__add', { text: 'Buy milk' }, who)
    if (asked.status !== 'waiting') return expect(asked.status).toBe('waiting')
    const { pending } = asked
    expect(pending).toMatchObject({ args: { text: 'Buy milk' }, preview: ['adds note 1 to notes.json'] })

    await host.tools.answer(pending, { kind: 'approval', approved: true, binds: pending.binds }, localUser)
    expect(await host.tools.resume(pending, who)).toMatchObject({ status: 'ok', text: 'Note 1 added.' })
    expect(await host.tools.call('notes__list', {}, who)).toMatchObject({
      structured: { notes: [{ number: 1, text: 'Buy milk' }] },
    })
  })

  it('states the effect and the data class of its tools', async () => {
    await using host = await boot()
    const tools = host.tools.all().filter(({ appId }) => appId === 'notes')
    expect(tools.map(({ original, traits: { effect, dataClass } }) => [original, effect, dataClass])).toEqual([
      ['list', 'read', 'editorContent'],
      ['add', 'write', 'editorContent'],
    ])
  })
})
