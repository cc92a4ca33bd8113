import { expect, it } from 'vitest'
import { createHost } from '../../src/create-host.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { toolKey } from '../../src/switches/switch-keys.ts'
import { pluginWith, readingTool } from '../plugins-in-code.ts'

it('half a character in the name of a group costs no catalogue', async () => {
  const store = createMemoryStore()
  await store.settings.set('switch/group/other', { on: false })
  await using host = await createHost({
    store,
    plugins: [pluginWith('odd', readingTool('hi', { group: '\ud800' })), pluginWith('good', readingTool('hi'))],
  })
  expect(host.tools.all().map(({ name }) => name)).toContain('good__hi')
})

it.each([[true], ['on'], [{}], [{ on: 'true' }], [[]], [0]])('a row that reads %j counts as off', async (row) => {
  const store = createMemoryStore()
  await store.settings.set(toolKey({ plugin: 'app', appId: 'app', original: 'hi' }), row)
  await using host = await createHost({ store, plugins: [pluginWith('app', readingTool('hi'))] })
  expect(host.tools.all().find(({ name }) => name === 'app__hi')?.holds).toMatchObject([{ by: 'switch' }])
})

it('R-SEC-02 the switch of one owner says nothing about the same name of another', () => {
  const tool = { appId: 'app', original: 'hi' }
  expect(toolKey({ ...tool, plugin: 'one' })).not.toBe(toolKey({ ...tool, plugin: 'two' }))
  expect(toolKey({ plugin: 'a/b', appId: 'c', original: 'd' })).not.toBe(
    toolKey({ plugin: 'a', appId: 'b/c', original: 'd' }),
  )
})
