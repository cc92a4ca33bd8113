import { describe, expect, it } from 'vitest'
import { checkConfig } from '../../src/config/check-config.ts'
import { caught, faultsIn } from './caught.ts'

const about = { file: 'rollcall.config.json' }
const check = (value: unknown) => checkConfig(value, about)

describe('a good configuration', () => {
  it('may be empty', () => {
    expect(check({})).toEqual({})
  })

  it('passes with every key there is', () => {
    const config = {
      $schema: './schema.json',
      plugins: ['./plugins/a', ['b', { city: 'Oslo' }], { specifier: 'c', options: [1, null], onFailure: 'abort' }],
      pluginsFrom: 'dependencies',
      providers: {
        notes: {
          preset: 'docs',
          dataClass: 'sourceCode',
          effect: 'read',
          approval: 'writes',
          adminOnly: true,
          off: false,
        },
        everything: {
          command: 'npx',
          args: ['-y', 'server'],
          cwd: '.',
          env: { TOKEN: { env: 'TOKEN' }, MODE: 'x' },
          isolation: 'session',
          zone: 'externalEu',
          pin: 'manual',
          tools: {
            'write file': {
              effect: 'write',
              approval: 'always',
              adminOnly: true,
              off: true,
              dataClass: 'publicContent',
            },
          },
        },
        remote: {
          url: 'https://${HOST:-localhost}:${PORT}/mcp',
          transport: 'http',
          auth: { bearer: { command: ['pass', 'show', 'x'] } },
          headers: { 'X-Key': { file: './key' }, Accept: 'text/plain', Other: { store: 'a/b' } },
        },
        later: { url: '${SERVER_URL}' },
      },
      profiles: {
        default: { zone: 'local' },
        cloud: {
          zone: 'externalGlobal',
          ceiling: 'internalConfiguration',
          allow: ['notes__*', '!*__delete'],
          serve: true,
          approvals: { waitMs: 0, expiresMs: 1000 },
        },
      },
      mcp: {
        allowedCommands: [['npx', '-y']],
        lockFile: 'x.lock.json',
        pin: 'first-use',
        limits: {
          connectTimeoutMs: 1,
          callTimeoutMs: 1,
          maxTotalTimeoutMs: 1,
          resultBytes: 1,
          tools: 1,
          pages: 1,
          listBytes: 1,
        },
      },
      legacyScan: 'off',
      pluginTimeoutMs: 1000,
      http: { host: '127.0.0.1', port: 0, keyless: ['default'], publicUrl: 'https://tools.example.org' },
      store: { url: 'sqlite:./state.db', durability: 'full' },
      secrets: { allow: ['TOKEN'] },
    }
    expect(check(config)).toEqual(config)
  })

  it.each(['x', -5, 700, null, [], { a: 1 }, true])(
    'takes %j as the time to live of the legacy cache',
    (cacheTtlSeconds) => {
      expect(check({ legacyScan: { mode: 'warn', cacheTtlSeconds } })).toEqual({
        legacyScan: { mode: 'warn', cacheTtlSeconds },
      })
    },
  )

  it('is a copy without undefined values', () => {
    const plugins = ['a']
    const config = check({ plugins, http: undefined, providers: { a: { preset: undefined } } })
    expect(Object.keys(config)).toEqual(['plugins', 'providers'])
    expect(Object.keys(config.providers?.a ?? { wrong: true })).toEqual([])
    plugins.push('b')
    expect(config.plugins).toEqual(['a'])
  })
})

describe('faults', () => {
  it('are all named at once, each with its path', async () => {
    const error = await caught(() =>
      check({
        providers: { memory: { dataClas: 'publicContent' } },
        profiles: { default: { zone: 'global' } },
        plugins: ['a', 'b', 7],
        http: { port: 70_000 },
        pluginTimeoutMs: '5s',
      }),
    )
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message.split('\n')[0]).toBe('5 faults in rollcall.config.json')
    expect(faultsIn(error)).toEqual({
      'providers.memory.dataClas': 'unknown key; did you mean "dataClass"?',
      'profiles.default.zone': `"global" isn't a zone: local, privateHosted, externalEu, externalGlobal`,
      'plugins[2]': 'must be a plugin: "name", ["name", options] or { "specifier": "name" }, received 7',
      'http.port': 'must be a whole number from 0 to 65535, received 70000',
      pluginTimeoutMs: 'must be a whole number from 1 to 2147483647, received a text',
    })
    for (const [path, message] of Object.entries(faultsIn(error)))
      expect(error.message).toContain(`${path}  ${message}`)
    expect(error.hint).toContain('nothing was started')
  })

  it('says 1 fault for one', async () => {
    expect((await caught(() => check({ plguins: [] }))).message).toBe(
      '1 fault in rollcall.config.json\n  plguins  unknown key; did you mean "plugins"?',
    )
  })

  const cases: readonly (readonly [what: string, value: unknown, path: string, message: RegExp])[] = [
    ['a list', [], '', /must be an object, received a list/],
    ['null', null, '', /received null/],
    ['a function', () => ({}), '', /received a function/],
    ['a key that resembles nothing', { xyzzy: 1 }, 'xyzzy', /unknown key; known are .*plugins, .*secrets/],
    ['two letters swapped', { providers: { a: { tooks: {}, url: 'https://a' } } }, 'providers.a.tooks', /"tools"/],
    ['another case', { pluginsfrom: 'dependencies' }, 'pluginsfrom', /"pluginsFrom"/],
    [
      'a short data class',
      { providers: { a: { dataClass: 'public' } } },
      'providers.a.dataClass',
      /"public" isn't a data class: publicContent, /,
    ],
    ['an unknown preset', { providers: { a: { preset: 'dcos' } } }, 'providers.a.preset', /isn't a preset: docs, /],
    [
      'an unknown effect of a tool',
      { providers: { a: { tools: { 'x y': { effect: 'delete' } } } } },
      'providers.a.tools["x y"].effect',
      /isn't an effect: read, /,
    ],
    [
      'a bad appId',
      { providers: { 'my server': {} } },
      'providers["my server"]',
      /isn't an appId: a lower-case letter/,
    ],
    ['an appId with a capital', { providers: { GitHub: {} } }, 'providers.GitHub', /did you mean "github"/],
    ['an appId of 33 letters', { providers: { ['a'.repeat(33)]: {} } }, `providers.${'a'.repeat(33)}`, /at most 31/],
    ['a bad profile name', { profiles: { 'a/b': { zone: 'local' } } }, 'profiles["a/b"]', /isn't a profile name/],
    ['a profile without a zone', { profiles: { a: {} } }, 'profiles.a.zone', /is missing: one of local, /],
    ['a misspelt zone, once', { profiles: { a: { zoen: 'local' } } }, 'profiles.a.zoen', /did you mean "zone"/],
    [
      'command and url',
      { providers: { a: { command: 'x', url: 'https://a' } } },
      'providers.a',
      /both "command" and "url"/,
    ],
    ['args without command', { providers: { a: { args: [] } } }, 'providers.a', /"args", which belongs to a "command"/],
    [
      'headers without url',
      { providers: { a: { command: 'x', headers: {} } } },
      'providers.a',
      /"headers", which belongs to a "url"/,
    ],
    ['an empty command', { providers: { a: { command: '' } } }, 'providers.a.command', /is empty/],
    ['another protocol', { providers: { a: { url: 'ftp://a' } } }, 'providers.a.url', /http or https, received "ftp:"/],
    ['a proxy of another kind', { outbound: { proxy: 'socks5://p:1' } }, 'outbound.proxy', /no address of a proxy/],
    ['half an address', { providers: { a: { url: '/mcp' } } }, 'providers.a.url', /no complete address/],
    ['user info in an address', { http: { publicUrl: 'https://jo@a' } }, 'http.publicUrl', /user name or password/],
    [
      'a keyless profile that is not there',
      { http: { keyless: ['defualt'] } },
      'http.keyless[0]',
      /did you mean "default"/,
    ],
    [
      'a keyless profile that is not served',
      { profiles: { cloud: { zone: 'local' } }, http: { keyless: ['cloud'] } },
      'http.keyless[0]',
      /set "profiles.cloud.serve"/,
    ],
    ['a policy that is not there', { mcp: { onDrift: 'ignore' } }, 'mcp.onDrift', /an onDrift/],
    [
      'a limit of half a tool',
      { mcp: { limits: { tools: 0.5 } } },
      'mcp.limits.tools',
      /whole number of at least 1, received 0.5/,
    ],
    [
      'an empty command line',
      { mcp: { allowedCommands: [[]] } },
      'mcp.allowedCommands[0]',
      /a list of at least 1, received 0/,
    ],
    ['half a pair', { plugins: [['a']] }, 'plugins[0]', /a list of exactly 2, received 1/],
    ['an unknown mode', { legacyScan: { mode: 'maybe' } }, 'legacyScan.mode', /isn't a mode of the legacy scan/],
    ['an address of PostgreSQL that is none', { store: 'postgres://' }, 'store', /is no store: write/],
    ['the same with durability', { store: { url: 'postgresql:/x' } }, 'store.url', /is no store: write/],
    ['an unknown store', { store: 'sqlite:' }, 'store', /is no store: write "sqlite:<path>"/],
    [
      'a time as text',
      { profiles: { a: { zone: 'local', approvals: { waitMs: '45s' } } } },
      'profiles.a.approvals.waitMs',
      /received a text/,
    ],
    [
      'a function among options',
      { plugins: [['a', { f() {} }]] },
      'plugins[0][1]',
      /must be JSON, and holds a function/,
    ],
    ['a date among options', { plugins: [['a', { at: new Date() }]] }, 'plugins[0][1]', /no plain one/],
    ['no number', { pluginTimeoutMs: Number.NaN }, 'pluginTimeoutMs', /received NaN/],
  ]
  it.each(cases)('names %s', async (_what, value, path, message) => {
    const faults = faultsIn(await caught(() => check(value)))
    expect(Object.keys(faults)).toEqual([path])
    expect(faults[path]).toMatch(message)
  })

  it('names options that hold themselves', async () => {
    const options: { self?: object } = {}
    options.self = options
    expect(faultsIn(await caught(() => check({ plugins: [['a', options]] })))['plugins[0][1]']).toMatch(/holds itself/)
  })

  it.each([
    ['{"__proto__": {"plugins": []}}', '__proto__'],
    ['{"providers": {"constructor": {}}}', 'providers.constructor'],
    ['{"providers": {"a": {"command": "x", "env": {"__proto__": "y"}}}}', 'providers.a.env.__proto__'],
    ['{"plugins": [["a", {"b": {"__proto__": 1}}]]}', 'plugins[0][1]'],
  ])('refuses the keys of prototypes in %s', async (text, path) => {
    expect(faultsIn(await caught(() => check(JSON.parse(text))))[path]).toMatch(/not allowed/)
  })

  it('never shows what may be a secret', async () => {
    const secret = 'canary-5a1f'
    const error = await caught(() =>
      check({
        providers: {
          a: {
            url: `https://u:${secret}@host`,
            auth: { bearer: secret },
            headers: { A: { evn: secret }, B: [secret] },
          },
          b: { command: 'x', args: secret, env: { A: [secret], B: { env: 5, file: secret } } },
          c: { url: `${secret}://x?token=${secret}` },
          d: { url: `ftp://${secret}` },
        },
        store: `postgres://u:${secret}@host/db`,
        plugins: [['a', { token: secret, bad: () => secret }]],
      }),
    )
    expect(JSON.stringify([error.message, error.hint, error.data ?? {}])).not.toContain(secret)
    expect(Object.keys(faultsIn(error)).length).toBeGreaterThanOrEqual(8)
  })

  it('shows hidden characters and long texts of others safely', async () => {
    const error = await caught(() => check({ profiles: { a: { zone: `\u001b[31m${'x'.repeat(500)}` } } }))
    expect(error.message).not.toContain('\u001b')
    expect(error.message.length).toBeLessThan(300)
  })
})
