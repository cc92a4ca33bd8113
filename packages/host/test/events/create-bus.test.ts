import { RegisterToolProvidersEvent, ToolsChanged } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { createBus } from '../../src/events/create-bus.ts'

const nothing = () => {}

describe('createBus', () => {
  it('lists listeners by configuration order, those of one plugin in the order of subscription', () => {
    const bus = createBus()
    const first = () => {}
    const second = () => {}
    bus.on({ plugin: 'c', order: 2 }, ToolsChanged, nothing)
    bus.on({ plugin: 'a', order: 0 }, ToolsChanged, first)
    bus.on({ plugin: 'b', order: 1 }, ToolsChanged, nothing)
    bus.on({ plugin: 'a', order: 0 }, ToolsChanged, second)
    bus.on({ plugin: 'd', order: -1 }, RegisterToolProvidersEvent, nothing)
    const listeners = bus.listeners(ToolsChanged)
    expect(listeners.map(({ plugin }) => plugin)).toEqual(['a', 'a', 'b', 'c'])
    expect(listeners.slice(0, 2).map(({ listener }) => listener)).toEqual([first, second])
  })

  it('undoes one subscription alone, and only once', () => {
    const bus = createBus()
    const undo = bus.on({ plugin: 'a', order: 0 }, ToolsChanged, nothing)
    bus.on({ plugin: 'b', order: 1 }, ToolsChanged, nothing)
    undo()
    undo()
    expect(bus.listeners(ToolsChanged).map(({ plugin }) => plugin)).toEqual(['b'])
  })

  it('hands out no emitter', () => {
    expect(Object.keys(createBus()).toSorted()).toEqual(['listeners', 'logger', 'on'])
  })
})
