import { definePlugin, defineTool, RegisterToolProvidersEvent, Type } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { testPlugin } from '../../src/testing/test-plugin.ts'

const notes = definePlugin({
  options: Type.Object({ greeting: Type.Optional(Type.String()) }),
  setup({ on, options }) {
    const kept: string[] = []
    const greet = defineTool({
      name: 'greet',
      description: 'Greets somebody.',
      input: Type.Object({ name: Type.String() }),
      effect: 'read',
      dataClass: 'publicContent',
      execute: ({ name }) => `${options.greeting ?? 'Hello'} ${name}`,
    })
    const keep = defineTool({
      name: 'keep',
      description: 'Keeps a note.',
      input: Type.Object({ note: Type.String() }),
      effect: 'write',
      dataClass: 'editorContent',
      startsOff: true,
      execute: ({ note }) => `kept ${kept.push(note)}`,
    })
    on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: [greet, keep] }))
  },
})

describe('testPlugin', () => {
  it("calls a plugin's tool by either of its names, with its options", async () => {
    await using tested = await testPlugin(notes, { appId: 'notes', options: { greeting: 'Hei' } })
    expect([...tested.tools].sort()).toEqual(['notes__greet', 'notes__keep'])
    expect(await tested.call('greet', { name: 'Ada' })).toMatchObject({ status: 'ok', text: 'Hei Ada' })
    expect(await tested.call('notes__greet', { name: 'Bob' })).toMatchObject({ status: 'ok', text: 'Hei Bob' })
  })

  it('switches on what starts off, and approves only where it is told to', async () => {
    await using tested = await testPlugin(notes, { appId: 'notes' })
    expect(await tested.call('keep', { note: 'x' })).toMatchObject({ status: 'waiting' })
    expect(await tested.call('keep', { note: 'x' }, { approve: true })).toMatchObject({ status: 'ok', text: 'kept 1' })
  })

  it('gives the outcome of a call that fails', async () => {
    await using tested = await testPlugin(notes, { appId: 'notes' })
    expect(await tested.call('greet', { name: 1 })).toMatchObject({ status: 'failed', code: 'TOOL_ARGUMENTS_INVALID' })
    expect(await tested.call('nothing', {})).toMatchObject({ code: 'TOOL_NOT_FOUND' })
  })

  it('rejects with what kept the plugin from answering', async () => {
    const broken = definePlugin({
      setup() {
        throw new Error('no database')
      },
    })
    await expect(testPlugin(broken, { appId: 'broken' })).rejects.toMatchObject({ code: 'PLUGIN_SETUP_FAILED' })
  })
})
