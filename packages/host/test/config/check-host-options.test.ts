import { definePlugin } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { checkHostOptions } from '../../src/config/check-host-options.ts'
import type { HostOptions } from '../../src/host-options.ts'
import { caught, faultsIn } from './caught.ts'

const plugin = definePlugin({ setup() {} })
// What a program writes that no compiler has seen.
const check = (options: unknown) => checkHostOptions(options as HostOptions)

describe('options given in code', () => {
  it('may be empty, or use everything there is', () => {
    class Clock {
      now() {
        return 0
      }
      async sleep() {}
    }
    expect(() => check({})).not.toThrow()
    expect(() =>
      checkHostOptions({
        plugins: [
          'a',
          ['b', 1],
          { specifier: 'c', onFailure: 'abort' },
          { appId: ['Weather', 'w'], plugin, options: {} },
        ],
        pluginsFrom: 'dependencies',
        providers: {
          Foo: { server: { command: 'x', args: ['y'] }, preset: 'docs', pin: 'manual' },
          bar: { server: { url: 'https://a' }, zone: 'local' },
          words: { off: true },
        },
        profiles: [{ name: 'a', zone: 'local' }],
        connectMcp: () => Promise.reject(new TypeError('unused')),
        cwd: '.',
        services: { has: () => false, get: () => undefined },
        legacyScan: { mode: 'on', cacheTtlSeconds: 5 },
        pluginTimeoutMs: 1,
        logger: { debug() {}, info() {}, warn() {}, error() {} },
        clock: new Clock(),
        variables: { A: 'b' },
      }),
    ).not.toThrow()
  })

  it('have all their faults named at once', async () => {
    const error = await caught(() =>
      check({
        plugin: [],
        plugins: [{ appId: 'a' }, { appId: 'a', plugin: 'x' }, 5, { specifier: 'x', onfailure: 'abort' }],
        providers: { a_b: {}, c: { server: { command: 'x', url: 'y' } }, d: { dataclass: 'publicContent' } },
        profiles: [{ zone: 'local' }, { name: 'a', zone: 'mars' }],
        connectMcp: {},
        store: { append() {} },
        variables: { TOKEN: 5 },
      }),
    )
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message).toMatch(/^13 faults in the options of createHost\n/)
    expect(Object.keys(faultsIn(error))).toEqual([
      'plugin',
      'plugins[0].plugin',
      'plugins[1].plugin',
      'plugins[2]',
      'plugins[3].onfailure',
      'providers.a_b',
      'providers.c.server.url',
      'providers.d.dataclass',
      'profiles[0].name',
      'connectMcp',
      'store',
      'variables.TOKEN',
      'profiles[1].zone',
    ])
    expect(faultsIn(error)).toMatchObject({
      'plugins[1].plugin': 'must be an object, received a text',
      'plugins[3].onfailure': 'unknown key; did you mean "onFailure"?',
      connectMcp: 'must be a function, received an object',
      store: 'has no method "read"',
    })
  })

  it('may not give one profile twice', async () => {
    const profiles = [
      { name: 'a', zone: 'local' },
      { name: 'b', zone: 'local' },
      { name: 'a', zone: 'externalEu' },
    ]
    expect(faultsIn(await caught(() => check({ profiles })))).toEqual({ 'profiles[2].name': '"a" is given twice' })
  })

  it.each([null, undefined, [], 'x'])('may not be %j', async (options) => {
    expect((await caught(() => check(options))).message).toContain('must be an object')
  })

  it('are not looked at inside a plugin', () => {
    const closed = new Proxy(plugin, {
      get: (_target, key) => {
        throw new TypeError(`read ${String(key)}`)
      },
      ownKeys: () => {
        throw new TypeError('listed')
      },
    })
    expect(() => check({ plugins: Array.from({ length: 500 }, () => ({ appId: 'a', plugin: closed })) })).not.toThrow()
  })
})
