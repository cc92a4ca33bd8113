import { execFile } from 'node:child_process'
import { access, mkdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type LoadConfigOptions, loadConfig } from '../../src/config/load-config.ts'
import { createTrustStore } from '../../src/config/trust-store.ts'
import { caught, faultsIn } from './caught.ts'
import { type TempFolder, tempFolder } from './temp-folder.ts'

const json = (value: unknown) => JSON.stringify(value)
const plugins = (...names: readonly string[]) => json({ plugins: names })

/** Loads as a user whose home is `home` in this folder. */
function load(folder: TempFolder, options: Partial<LoadConfigOptions> = {}) {
  return loadConfig({ cwd: folder.path, env: {}, home: join(folder.path, 'home'), ...options })
}

describe('finding', () => {
  it('gives an empty configuration where there is none', async () => {
    await using folder = await tempFolder()
    await mkdir(join(folder.path, 'home/p/.git'), { recursive: true })
    expect(await load(folder, { cwd: join(folder.path, 'home/p') })).toEqual({
      folder: join(folder.path, 'home/p'),
      stateFolder: join(folder.path, 'home/.local/state/rollcall'),
      trusted: true,
      config: {},
      manifestOnly: false,
    })
  })

  it('goes upward to the repository root and not beyond it', async () => {
    await using folder = await tempFolder({
      'rollcall.config.json': plugins('outside'),
      'repo/.git': 'gitdir: elsewhere',
      'repo/a/b/file': '',
    })
    const cwd = join(folder.path, 'repo/a/b')
    expect((await load(folder, { cwd })).file).toBeUndefined()
    await folder.write('repo/rollcall.config.json', plugins('inside'))
    const loaded = await load(folder, { cwd })
    expect(loaded.config).toEqual({ plugins: ['inside'] })
    expect(loaded.folder).toBe(join(folder.path, 'repo'))
    expect(loaded.stateFolder).toBe(join(folder.path, 'repo/.rollcall'))
  })

  it('goes upward to home and not beyond it', async () => {
    await using folder = await tempFolder({ 'rollcall.config.json': plugins('outside'), 'home/a/file': '' })
    expect((await load(folder, { cwd: join(folder.path, 'home/a') })).file).toBeUndefined()
    await folder.write('home/rollcall.config.yaml', 'plugins: [mine]')
    expect((await load(folder, { cwd: join(folder.path, 'home/a') })).config).toEqual({ plugins: ['mine'] })
  })

  it("takes the user's own from the root of the disk, as desktop clients start it", async () => {
    await using folder = await tempFolder({ 'home/.config/rollcall/rollcall.config.json': plugins('mine') })
    const loaded = await load(folder, { cwd: '/' })
    expect(loaded.config).toEqual({ plugins: ['mine'] })
    expect(loaded.trusted).toBe(true)
    expect(loaded.folder).toBe(join(folder.path, 'home/.config/rollcall'))
  })

  it('asks XDG_CONFIG_HOME for the user folder, unless it is relative', async () => {
    await using folder = await tempFolder({ 'xdg/rollcall/rollcall.config.yml': 'plugins: [mine]' })
    const at = (home: string) => load(folder, { cwd: '/', env: { XDG_CONFIG_HOME: home } })
    expect((await at(join(folder.path, 'xdg'))).config).toEqual({ plugins: ['mine'] })
    expect((await at('xdg')).file).toBeUndefined()
  })

  it('takes JSON before YAML before code in one folder', async () => {
    await using folder = await tempFolder({
      'rollcall.config.mjs': 'export default {}',
      'rollcall.config.yaml': 'plugins: [yaml]',
    })
    expect((await load(folder)).config).toEqual({ plugins: ['yaml'] })
    await folder.write('rollcall.config.json', plugins('json'))
    expect((await load(folder)).config).toEqual({ plugins: ['json'] })
  })

  it('never passes over a configuration that it can not read', async () => {
    await using folder = await tempFolder({ 'rollcall.config.yaml': 'plugins: [next]' })
    await mkdir(join(folder.path, 'rollcall.config.json'))
    expect((await caught(() => load(folder))).message).toContain('can not be read')
    await rm(join(folder.path, 'rollcall.config.json'), { recursive: true })
    await symlink('nowhere', join(folder.path, 'rollcall.config.json'))
    expect((await caught(() => load(folder))).message).toContain('can not be read')
  })

  it('uses the real path of a link, so that its folder is where the file lies', async () => {
    await using folder = await tempFolder({ 'real/rollcall.config.json': plugins('./a'), 'linked/file': '' })
    await symlink('../real/rollcall.config.json', join(folder.path, 'linked/rollcall.config.json'))
    const loaded = await load(folder, { cwd: join(folder.path, 'linked') })
    expect(loaded.file).toBe(join(folder.path, 'real/rollcall.config.json'))
    expect(loaded.folder).toBe(join(folder.path, 'real'))
  })

  it('keeps state where ROLLCALL_STATE_DIR says', async () => {
    await using folder = await tempFolder({ 'rollcall.config.json': '{}' })
    const at = async (dir: string) => (await load(folder, { env: { ROLLCALL_STATE_DIR: dir } })).stateFolder
    expect(await at('/var/state')).toBe('/var/state')
    expect(await at('mine')).toBe(join(folder.path, 'mine'))
    expect(await at('')).toBe(join(folder.path, '.rollcall'))
  })
})

describe('a named file', () => {
  it('is taken wherever it lies', async () => {
    await using folder = await tempFolder({ 'x/mine.yaml': 'plugins: [a]', 'rollcall.config.json': plugins('b') })
    const loaded = await load(folder, { file: 'x/mine.yaml' })
    expect(loaded.config).toEqual({ plugins: ['a'] })
    expect(loaded.folder).toBe(join(folder.path, 'x'))
    expect(loaded.trusted).toBe(true)
  })

  it('that does not exist is named with the nearest one', async () => {
    await using folder = await tempFolder({ 'rollcall.config.json': '{}', 'readme.md': '' })
    const error = await caught(() => load(folder, { file: './rolcall.config.json' }))
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message).toBe('1 fault in ./rolcall.config.json\n  no such file; did you mean "rollcall.config.json"?')
    expect((await caught(() => load(folder, { file: 'no/such/folder.json' }))).message).toMatch(/no such file$/)
  })

  it.each(['mine.conf', 'mine', 'rollcall.config.cjs'])('may not be %s', async (file) => {
    await using folder = await tempFolder({ [file]: '' })
    expect((await caught(() => load(folder, { file }))).message).toContain('is no .json, .yaml')
  })

  it('may not be a folder', async () => {
    await using folder = await tempFolder({ 'a.json/file': '' })
    expect((await caught(() => load(folder, { file: 'a.json' }))).message).toContain('can not be read')
  })
})

describe('reading', () => {
  const texts: readonly (readonly [what: string, name: string, content: string | Uint8Array])[] = [
    ['JSON with a byte order mark', 'rollcall.config.json', `\uFEFF${plugins('a')}`],
    ['JSON with comments and trailing commas', 'rollcall.config.json', '// all\n{ /* x */ "plugins": ["a",], }\r\n'],
    ['JSON in UTF-16', 'rollcall.config.json', Buffer.from(`\uFEFF${plugins('a')}`, 'utf16le')],
    ['YAML', 'rollcall.config.yml', '# all\nplugins:\n  - a\n'],
    ['YAML with a byte order mark', 'rollcall.config.yaml', '\uFEFFplugins: [a]'],
    ['a module', 'rollcall.config.mjs', 'export default { plugins: ["a"] }'],
    ['TypeScript', 'rollcall.config.mts', 'const names: string[] = ["a"]\nexport default { plugins: names }'],
  ]
  it.each(texts)('understands %s', async (_what, name, content) => {
    await using folder = await tempFolder({ [name]: content })
    expect((await load(folder, { file: name })).config).toEqual({ plugins: ['a'] })
  })

  it('takes an empty YAML file as an empty configuration', async () => {
    await using folder = await tempFolder({ 'rollcall.config.yaml': '# nothing yet\n' })
    expect((await load(folder)).config).toEqual({})
  })

  const broken: readonly (readonly [what: string, name: string, content: string | Uint8Array, fault: RegExp])[] = [
    [
      'a missing comma',
      'rollcall.config.json',
      '{\n  "plugins": []\n  "store": "memory:"\n}',
      /line 3, column 3 {2}comma expected/,
    ],
    ['a missing end', 'rollcall.config.json', '{\n  "plugins": [', /line 2, column \d+ {2}close bracket expected/],
    ['an empty file', 'rollcall.config.json', ' \n', /value expected/],
    ['two values', 'rollcall.config.json', '{} {}', /line 1, column 4 {2}end of file expected/],
    [
      'a key written twice',
      'rollcall.config.json',
      '{"profiles": {"a": {"zone": "local", "zone": "externalGlobal"}}}',
      /profiles\.a\.zone {2}is written twice/,
    ],
    [
      'a key of the prototype',
      'rollcall.config.json',
      '{"__proto__": {"plugins": ["a"]}}',
      /__proto__ {2}is not allowed/,
    ],
    ['deep nesting', 'rollcall.config.json', `{"plugins": ${'['.repeat(200_000)}`, /nested too deeply|expected/],
    ['bytes that are no text', 'rollcall.config.json', new Uint8Array([0x7b, 0xff, 0x7d]), /save it as UTF-8/],
    ['bad indentation', 'rollcall.config.yaml', 'profiles:\n  a:\n zone: local', /line 2, column 5 {2}bad indent/],
    [
      'a key written twice in YAML',
      'rollcall.config.yaml',
      'plugins: []\nplugins: [a]',
      /line 2, column 1 {2}duplicate key/,
    ],
    ['an unknown tag', 'rollcall.config.yaml', 'plugins: !!js/function "x"', /line 1, column 10 {2}tag resolve failed/],
    ['an alias of nothing', 'rollcall.config.yaml', 'plugins: *a', /leads nowhere/],
    ['aliases that multiply', 'rollcall.config.yaml', aliasBomb(), /multiplies too often/],
    ['a prototype in YAML', 'rollcall.config.yaml', '__proto__: { plugins: [a] }', /__proto__ {2}is not allowed/],
    [
      'a module that throws',
      'rollcall.config.mjs',
      'throw new TypeError("not today")',
      /can not be loaded: TypeError: not today/,
    ],
    ['a module without default', 'rollcall.config.mjs', 'export const plugins = []', /no default export/],
    [
      'a module that exports a function',
      'rollcall.config.mjs',
      'export default () => ({})',
      /must be an object, received a function/,
    ],
  ]
  it.each(broken)('says where it is broken: %s', async (_what, name, content, fault) => {
    await using folder = await tempFolder({ [name]: content })
    const error = await caught(() => load(folder, { file: name }))
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message).toMatch(/^1 fault in rollcall\.config\./)
    expect(error.message).toMatch(fault)
  })

  it.each([
    ['rollcall.config.json', '{ "providers": { "a": canary-9 } }'],
    ['rollcall.config.yaml', 'providers: { a: "canary-9" canary-9'],
  ])('does not quote a broken %s', async (name, content) => {
    await using folder = await tempFolder({ [name]: content })
    const error = await caught(() => load(folder))
    expect(JSON.stringify([error.message, error.hint, String(error.cause), error.data ?? {}])).not.toContain('canary')
  })

  it('names all faults of a file that is readable', async () => {
    await using folder = await tempFolder({ 'rollcall.config.yaml': 'plguins: []\nhttp: { port: x }\nstore: redis' })
    expect(Object.keys(faultsIn(await caught(() => load(folder))))).toEqual(['plguins', 'http.port', 'store'])
  })
})

describe('a folder that is a plugin', () => {
  const manifest = json({ name: 'weather', rollcall: { appId: 'weather' } })

  it('is the plugin list where there is no configuration', async () => {
    await using folder = await tempFolder({ 'p/.git/x': '', 'p/package.json': `\uFEFF${manifest}`, 'p/src/x': '' })
    await folder.write('home/.config/rollcall/rollcall.config.json', plugins('mine'))
    const loaded = await load(folder, { cwd: join(folder.path, 'p/src') })
    expect(loaded).toMatchObject({ manifestOnly: true, config: { plugins: ['.'] }, folder: join(folder.path, 'p') })
  })

  it('R-SEC-07 is not trusted because one stands in it', async () => {
    await using folder = await tempFolder({ 'package.json': manifest })
    expect((await load(folder)).trusted).toBe(false)
    expect((await load(folder, { isTrusted: () => true })).trusted).toBe(true)
  })

  it('is nearer than a configuration above it, and gives way to one beside it', async () => {
    const files = { 'rollcall.config.json': plugins('all'), 'p/package.json': manifest }
    await using above = await tempFolder(files)
    expect((await load(above, { cwd: join(above.path, 'p') })).config).toEqual({ plugins: ['.'] })
    await using beside = await tempFolder({ ...files, 'p/rollcall.config.json': plugins('own') })
    expect((await load(beside, { cwd: join(beside.path, 'p') })).config).toEqual({ plugins: ['own'] })
  })

  it.each(['{', '[]', '{"name": "x"}', 'null'])('is none when its package.json is %s', async (content) => {
    await using folder = await tempFolder({ '.git/x': '', 'package.json': content })
    expect((await load(folder)).manifestOnly).toBe(false)
  })
})

describe('trust', () => {
  const canary = (file: string) =>
    `import { writeFileSync } from 'node:fs'\nwriteFileSync(${json(file)}, '')\nexport default { plugins: ['a'] }\n`
  const isThere = (file: string) =>
    access(file).then(
      () => true,
      () => false,
    )

  it.each(['ts', 'mts', 'js', 'mjs'])(
    'R-SEC-07 a found configuration in %s is executed only when it is named',
    async (extension) => {
      await using folder = await tempFolder({ 'package.json': '{"type":"module"}' })
      const ran = join(folder.path, 'ran')
      const file = await folder.write(`rollcall.config.${extension}`, canary(ran))
      expect(await load(folder)).toMatchObject({ file, trusted: false, config: {} })
      expect(await isThere(ran)).toBe(false)
      expect(await load(folder, { file })).toMatchObject({ trusted: true, config: { plugins: ['a'] } })
      expect(await isThere(ran)).toBe(true)
    },
  )

  it('R-SEC-07 a found configuration that is data is read, checked and not trusted', async () => {
    await using folder = await tempFolder({ 'rollcall.config.json': plugins('./evil') })
    expect(await load(folder)).toMatchObject({ trusted: false, config: { plugins: ['./evil'] } })
    await folder.write('rollcall.config.json', '{"plugins": 5}')
    expect((await caught(() => load(folder))).code).toBe('CONFIG_INVALID')
  })

  it('R-SEC-07 after trust an edit asks again', async () => {
    await using folder = await tempFolder()
    const ran = join(folder.path, 'ran')
    const file = await folder.write('rollcall.config.mjs', canary(ran))
    const { isTrusted, trust } = createTrustStore({ folder: join(folder.path, 'state') })

    const found = await load(folder, { isTrusted })
    if (found.digest === undefined) throw new TypeError('A file has a digest.')
    await trust(file, found.digest)
    expect(await load(folder, { isTrusted })).toMatchObject({ trusted: true, config: { plugins: ['a'] } })
    expect(await isThere(ran)).toBe(true)

    await rm(ran)
    await folder.write('rollcall.config.mjs', `${canary(ran)}// edited\n`)
    expect(await load(folder, { isTrusted })).toMatchObject({ trusted: false, config: {} })
    expect(await isThere(ran)).toBe(false)
  })

  it('R-SEC-07 what was trusted at one place is not trusted at another', async () => {
    await using folder = await tempFolder({ 'a/rollcall.config.json': '{}', 'b/rollcall.config.json': '{}' })
    const { isTrusted, trust } = createTrustStore({ folder: join(folder.path, 'state') })
    const a = await load(folder, { cwd: join(folder.path, 'a') })
    await trust(a.file ?? '', a.digest ?? 'sha256:')
    expect((await load(folder, { cwd: join(folder.path, 'a'), isTrusted })).trusted).toBe(true)
    expect((await load(folder, { cwd: join(folder.path, 'b'), isTrusted })).trusted).toBe(false)
  })

  it('R-SEC-07 the settings of the search itself are not executed either', async () => {
    await using folder = await tempFolder({
      '.config/config.cjs': "require('node:fs').writeFileSync('ran', '')\nmodule.exports = {}",
      '.config/config.js': "require('node:fs').writeFileSync('ran', '')\nmodule.exports = {}",
      'package.json': json({ cosmiconfig: { searchPlaces: ['other.json'] } }),
      'other.json': plugins('other'),
      'rollcall.config.json': plugins('a'),
    })
    const module = new URL('../../src/config/load-config.ts', import.meta.url).href
    const script = `const { loadConfig } = await import(${json(module)})
      const { config } = await loadConfig({ cwd: process.cwd(), env: {}, home: '/nowhere' })
      process.stdout.write(JSON.stringify(config))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      cwd: folder.path,
    })
    expect(JSON.parse(stdout)).toEqual({ plugins: ['a'] })
    expect(await isThere(join(folder.path, 'ran'))).toBe(false)
  })

  describe('of a project that has the program installed', () => {
    it('is given', async () => {
      await using folder = await tempFolder({
        '.git/x': '',
        'packages/a/rollcall.config.json': '{}',
        'node_modules/.store/rollcall/package.json': '{}',
      })
      const installedAt = join(folder.path, 'node_modules/.store/rollcall')
      const cwd = join(folder.path, 'packages/a')
      expect((await load(folder, { cwd, installedAt })).trusted).toBe(false)
      await symlink('.store/rollcall', join(folder.path, 'node_modules/rollcall'))
      expect((await load(folder, { cwd, installedAt })).trusted).toBe(true)
    })

    it('R-SEC-07 is not given for another copy of it', async () => {
      await using folder = await tempFolder({
        'repo/.git/x': '',
        'repo/rollcall.config.json': '{}',
        'repo/node_modules/rollcall/package.json': '{}',
        'global/rollcall/package.json': '{}',
      })
      const options = { cwd: join(folder.path, 'repo'), installedAt: join(folder.path, 'global/rollcall') }
      expect((await load(folder, options)).trusted).toBe(false)
    })

    it.each(['repo/.git/x', 'repo/readme'])(
      'R-SEC-07 is not given for a committed link to the global one (%s)',
      async (file) => {
        await using folder = await tempFolder({
          [file]: '',
          'repo/rollcall.config.json': '{}',
          'repo/node_modules/file': '',
          'global/rollcall/package.json': '{}',
        })
        await symlink('../../global/rollcall', join(folder.path, 'repo/node_modules/rollcall'))
        const options = { cwd: join(folder.path, 'repo'), installedAt: join(folder.path, 'global/rollcall') }
        expect((await load(folder, options)).trusted).toBe(false)
      },
    )
  })
})

/** Nine levels of nine references each. */
function aliasBomb(): string {
  const levels = Array.from({ length: 9 }, (_, level) => {
    const items = Array.from({ length: 9 }, () => (level === 0 ? 'x' : `*l${level - 1}`))
    return `l${level}: &l${level} [${items.join(', ')}]`
  })
  return levels.join('\n')
}
