import { describe, expect, it } from 'vitest'
import { currentListener, enterListener } from '../../src/events/current-listener.ts'

describe('currentListener', () => {
  it('knows the plugin inside its listener only, however deep and after awaits', async () => {
    const entered = enterListener('weather')
    const deep = async () => {
      await null
      await new Promise(setImmediate)
      return currentListener()
    }
    expect(await entered.run(deep)).toBe('weather')
    expect(currentListener()).toBeUndefined()
  })

  it('keeps listeners that run at the same time apart', async () => {
    const run = (plugin: string) =>
      enterListener(plugin).run(async () => {
        await new Promise(setImmediate)
        return currentListener()
      })
    expect(await Promise.all([run('a'), run('b')])).toEqual(['a', 'b'])
  })

  it('lets go of what a listener left running', async () => {
    const entered = enterListener('weather')
    const left = Promise.withResolvers<string | undefined>()
    entered.run(() => setImmediate(() => left.resolve(currentListener())))
    entered.leave()
    expect(await left.promise).toBeUndefined()
  })
})
