import { ToolsChanged } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { createBus } from '../../src/events/create-bus.ts'
import { notify } from '../../src/events/notify.ts'
import { createRecordingLogger } from '../plugins/recording-logger.ts'

const fact = () => new ToolsChanged({ generation: 2, added: ['a__b'], removed: [], changed: [] })

const hostile = Object.defineProperty({}, 'then', {
  get() {
    throw new Error('boom')
  },
})

describe('notify', () => {
  it('tells everyone the same frozen fact', () => {
    const bus = createBus()
    const seen: ToolsChanged[] = []
    bus.on({ plugin: 'a', order: 0 }, ToolsChanged, (event) => void seen.push(event))
    bus.on({ plugin: 'b', order: 1 }, ToolsChanged, (event) => void seen.push(event))
    notify(bus, fact())
    expect(seen).toMatchObject([{ generation: 2 }, { generation: 2 }])
    expect(() => Array.prototype.push.call(seen[0]?.added, 'c__d')).toThrow(TypeError)
    expect(() => Object.assign(seen[0] ?? {}, { generation: 3 })).toThrow(TypeError)
  })

  it.each<[string, () => never | Promise<never>]>([
    [
      'throws',
      () => {
        throw new Error('boom')
      },
    ],
    [
      'throws null',
      () => {
        throw null
      },
    ],
    ['rejects', () => Promise.reject(new Error('boom'))],
    [
      'rejects later',
      async () => {
        await new Promise(setImmediate)
        throw new Error('boom')
      },
    ],
    ['gives a hostile thenable', () => hostile as never],
  ])('costs nobody anything when a listener %s, and logs it once', async (_, listener) => {
    const logger = createRecordingLogger()
    const bus = createBus(logger)
    const heard: number[] = []
    bus.on({ plugin: 'bad', order: 0 }, ToolsChanged, listener)
    bus.on({ plugin: 'good', order: 1 }, ToolsChanged, ({ generation }) => void heard.push(generation))
    notify(bus, fact())
    notify(bus, fact())
    expect(heard).toEqual([2, 2])
    await expect.poll(() => logger.lines).toHaveLength(1)
    expect(logger.lines).toMatchObject([
      ['warn', 'a listener to a fact failed', { plugin: 'bad', event: 'toolsChanged' }],
    ])
    await new Promise(setImmediate)
    expect(logger.lines).toHaveLength(1)
  })

  it('does not wait for a listener', () => {
    const bus = createBus()
    bus.on({ plugin: 'slow', order: 0 }, ToolsChanged, () => new Promise<void>(() => {}))
    expect(notify(bus, fact())).toBeUndefined()
  })
})
