import { type EventClass, RegisterToolProvidersEvent, ToolsChanged } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { bindPlugin } from '../../src/events/bind-plugin.ts'
import { createBus } from '../../src/events/create-bus.ts'

const nothing = () => {}

function bind() {
  const bus = createBus()
  const controller = new AbortController()
  return { bus, controller, ...bindPlugin(bus, { name: 'weather', order: 4 }, { signal: controller.signal }) }
}

describe('bindPlugin', () => {
  it('subscribes in the name of the plugin and gives the undo', () => {
    const { bus, on } = bind()
    const undo = on(ToolsChanged, nothing)
    expect(bus.listeners(ToolsChanged)).toEqual([{ plugin: 'weather', order: 4, listener: nothing }])
    undo()
    expect(bus.listeners(ToolsChanged)).toEqual([])
  })

  it('undoes all that is left', () => {
    const { bus, on, undo } = bind()
    on(ToolsChanged, nothing)()
    on(ToolsChanged, nothing)
    on(RegisterToolProvidersEvent, nothing)
    undo()
    expect([...bus.listeners(ToolsChanged), ...bus.listeners(RegisterToolProvidersEvent)]).toEqual([])
  })

  it('recognises an event by its type, so that a second copy of the package works', () => {
    const { bus, on } = bind()
    on({ type: ToolsChanged.type, prototype: ToolsChanged.prototype }, nothing)
    expect(bus.listeners(ToolsChanged)).toHaveLength(1)
  })

  it.each<[string, unknown, unknown]>([
    ['an unknown type', { type: 'toolsChangd' }, nothing],
    ['a bare name', 'toolsChanged', nothing],
    ['undefined, as a misspelt import gives it', undefined, nothing],
    ['null', null, nothing],
    ['a listener that is no function', ToolsChanged, 'listener'],
  ])('refuses %s', (_, event, listener) => {
    const { bus, on } = bind()
    expect(() => on(event as EventClass<unknown>, listener as () => void)).toThrow(
      expect.objectContaining({ code: 'PLUGIN_INVALID', message: expect.stringContaining('weather') }),
    )
    expect(bus.listeners(ToolsChanged)).toEqual([])
  })

  it('refuses once the plugin was stopped', () => {
    const { controller, on } = bind()
    controller.abort()
    expect(() => on(ToolsChanged, nothing)).toThrow(expect.objectContaining({ code: 'REGISTRATION_CLOSED' }))
  })
})
