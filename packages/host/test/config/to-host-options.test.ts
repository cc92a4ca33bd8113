import { expect, it } from 'vitest'
import { checkConfig } from '../../src/config/check-config.ts'
import { checkHostOptions } from '../../src/config/check-host-options.ts'
import type { LoadedConfig } from '../../src/config/load-config.ts'
import { toHostOptions } from '../../src/config/to-host-options.ts'
import { caught } from './caught.ts'

function loaded(config: unknown): LoadedConfig {
  return {
    file: '/p/rollcall.config.json',
    folder: '/p',
    stateFolder: '/p/.rollcall',
    trusted: true,
    config: checkConfig(config, { file: 'rollcall.config.json' }),
    manifestOnly: false,
  }
}

it('makes options that createHost accepts', () => {
  const options = toHostOptions(
    loaded({
      plugins: ['./a', ['b', { key: '${KEY} ${OTHER:-x} $${KEY}' }]],
      pluginsFrom: 'dependencies',
      providers: {
        local: { command: 'node', args: ['x'], cwd: 's', env: { A: 'b' }, preset: 'docs', pin: 'manual' },
        remote: {
          url: 'https://a/mcp',
          transport: 'http',
          auth: { bearer: { env: 'T' } },
          headers: { X: 'y' },
          off: true,
        },
        words: { adminOnly: true, tools: { x: { effect: 'read' } } },
      },
      profiles: {
        cloud: { zone: 'externalEu', allow: [] },
        asking: { zone: 'local', approvals: { waitMs: 1, notify: { webhook: 'https://hook.test/${SECRET}' } } },
      },
      outbound: { proxy: '${PROXY}', noProxy: ['corp.test'] },
      legacyScan: { mode: 'error', cacheTtlSeconds: 30 },
      pluginTimeoutMs: 100,
      http: { port: 1 },
    }),
    { env: { KEY: 'k', SECRET: 'canary', PROXY: 'http://me:pw@proxy.test:3128' } },
  )
  expect(options).toEqual({
    cwd: '/p',
    resolveSecret: expect.any(Function),
    variables: { KEY: 'k', ROLLCALL_CONFIG_DIR: '/p', ROLLCALL_STATE_DIR: '/p/.rollcall' },
    plugins: ['./a', ['b', { key: '${KEY} ${OTHER:-x} $${KEY}' }]],
    pluginsFrom: 'dependencies',
    providers: {
      local: { server: { command: 'node', args: ['x'], cwd: 's', env: { A: 'b' } }, preset: 'docs', pin: 'manual' },
      remote: {
        server: { url: 'https://a/mcp', transport: 'http', auth: { bearer: { env: 'T' } }, headers: { X: 'y' } },
        off: true,
      },
      words: { adminOnly: true, tools: { x: { effect: 'read' } } },
    },
    profiles: [
      { name: 'cloud', zone: 'externalEu', allow: [] },
      { name: 'asking', zone: 'local', approvals: { waitMs: 1, notify: { webhook: 'https://hook.test/canary' } } },
    ],
    outbound: { proxy: 'http://me:pw@proxy.test:3128', noProxy: ['corp.test'] },
    legacyScan: { mode: 'error', cacheTtlSeconds: 30 },
    pluginTimeoutMs: 100,
  })
  expect(() => checkHostOptions(options)).not.toThrow()
})

it('hands on the ports and says nothing about what the file does not say', () => {
  const clock = { now: () => 0, sleep: async () => {} }
  expect(toHostOptions(loaded({}), { env: { A: 'a' }, clock })).toEqual({
    clock,
    cwd: '/p',
    resolveSecret: expect.any(Function),
    variables: { ROLLCALL_CONFIG_DIR: '/p', ROLLCALL_STATE_DIR: '/p/.rollcall' },
  })
})

it.each([
  ['warn', 'warn'],
  [{ mode: 'on', cacheTtlSeconds: 'x' }, { mode: 'on' }],
  [
    { mode: 'on', cacheTtlSeconds: 9 },
    { mode: 'on', cacheTtlSeconds: 9 },
  ],
])('makes the legacy scan %j into %j', (legacyScan, expected) => {
  expect(toHostOptions(loaded({ legacyScan }), { env: {} }).legacyScan).toEqual(expected)
})

it('R-SEC-07 makes no options from what is not trusted', async () => {
  const error = await caught(() => toHostOptions({ ...loaded({ plugins: ['./evil'] }), trusted: false }, { env: {} }))
  expect(error.code).toBe('CONFIG_UNTRUSTED')
  expect(error.message).toContain('/p/rollcall.config.json')
  expect(error.hint).toContain('rollcall trust /p')
})
