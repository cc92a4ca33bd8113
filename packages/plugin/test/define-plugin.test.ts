import { describe, expect, it } from 'vitest'
import { definePlugin, isPlugin } from '../src/plugin/define-plugin.ts'

const copyAddress = '../src/plugin/define-plugin.ts?copy'
const copy = (await import(copyAddress)) as typeof import('../src/plugin/define-plugin.ts')

describe('definePlugin', () => {
  it('marks a plugin, so that every copy of the package recognises it', () => {
    const ours = definePlugin({ setup() {} })
    const theirs = copy.definePlugin({ setup() {} })
    expect(copy.definePlugin).not.toBe(definePlugin)
    for (const plugin of [ours, theirs]) {
      expect(isPlugin(plugin)).toBe(true)
      expect(copy.isPlugin(plugin)).toBe(true)
    }
  })

  it('keeps what the author wrote and leaves the given object unmarked', () => {
    const given = { setup() {}, dispose() {} }
    const plugin = definePlugin(given)
    expect(plugin).toEqual(given)
    expect(isPlugin(given)).toBe(false)
  })

  it('puts its mark where no copy of the fields takes it along', () => {
    expect(isPlugin({ ...definePlugin({ setup() {} }) })).toBe(false)
  })

  it('takes nothing else for a plugin', () => {
    for (const value of [null, undefined, 'plugin', {}, () => 1, { setup() {} }]) expect(isPlugin(value)).toBe(false)
  })
})
