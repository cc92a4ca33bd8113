import { join } from 'node:path'
import type { SecretRef } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { resolveSecret } from '../../src/config/resolve-secret.ts'
import { caught } from './caught.ts'
import { tempFolder } from './temp-folder.ts'

const secret = 'canary-77aa'
const node = (code: string) => ({ command: [process.execPath, '-e', code] })

describe("the operator's own secrets", () => {
  it('come from variables', async () => {
    expect(await resolveSecret({ env: 'TOKEN' }, { env: { TOKEN: secret }, folder: '/', allow: 'all' })).toBe(secret)
  })

  it.each([
    [secret, secret],
    [`${secret}\n`, secret],
    [`${secret}\r\n`, secret],
    [`${secret}\n\n`, `${secret}\n`],
    [` ${secret} `, ` ${secret} `],
    [`\uFEFF${secret}`, secret],
  ])('come from files, here %j', async (content, value) => {
    await using folder = await tempFolder({ 'keys/token': content })
    const source = { env: {}, folder: folder.path, allow: 'all' } as const
    expect(await resolveSecret({ file: 'keys/token' }, source)).toBe(value)
    expect(await resolveSecret({ file: join(folder.path, 'keys/token') }, source)).toBe(value)
  })

  it('come from commands, run in the folder with the environment and without a shell', async () => {
    await using folder = await tempFolder()
    const ref = {
      command: [process.execPath, '-p', 'process.cwd() + process.env.TAIL + process.argv[1]', '$TAIL; `x`'],
    }
    const value = await resolveSecret(ref, { env: { TAIL: '!' }, folder: folder.path, allow: 'all' })
    expect(value).toBe(`${folder.path}!$TAIL; \`x\``)
  })
})

describe('a secret that can not be had', () => {
  const failures: readonly (readonly [what: string, ref: SecretRef, message: RegExp])[] = [
    ['an unset variable', { env: 'UNSET' }, /variable UNSET is not set/],
    ['a variable of the prototype', { env: 'toString' }, /variable toString is not set/],
    ['an empty variable', { env: 'EMPTY' }, /variable EMPTY is empty/],
    ['a missing file', { file: 'nowhere' }, /file nowhere can not be read/],
    ['a folder', { file: '.' }, /file \. can not be read/],
    ['an empty file', { file: 'empty' }, /file empty is empty/],
    ['a giant file', { file: 'giant' }, /file giant is over 64 KB/],
    ['the store', { store: 'github/TOKEN' }, /no secret store is set up/],
    ['a command that is not there', { command: ['./no-such-program'] }, /could not be run \(ENOENT\)/],
    ['no command', { command: [] }, /could not be run \(EINVAL\)/],
    ['a zero byte', { command: ['node', `${secret}\0`] }, /could not be run \(EINVAL\)/],
    [
      'a command that fails',
      node(`console.log('${secret}'); console.error('${secret}'); process.exitCode = 3`),
      /ended with code 3/,
    ],
    ['a command that floods', node("process.stdout.write('x'.repeat(70_000))"), /more than 64 KB/],
    [
      'a command that hangs',
      node(`console.log('${secret}'); setInterval(() => {}, 1000)`),
      /did not end within 2000 ms/,
    ],
  ]
  it.each(failures)('says so: %s', async (_what, ref, message) => {
    await using folder = await tempFolder({ empty: '\n', giant: `${secret}${'x'.repeat(65_536)}` })
    const source = { env: { EMPTY: '' }, folder: folder.path, allow: 'all', commandTimeoutMs: 2000 } as const
    const error = await caught(() => resolveSecret(ref, source))
    expect(error.code).toBe('SECRET_MISSING')
    expect(error.message).toMatch(message)
    const told = [error.message, error.hint, String(error.cause), error.stack]
    expect(JSON.stringify(told)).not.toContain(secret)
  })

  it('is told what to use instead of the store', async () => {
    const error = await caught(() => resolveSecret({ store: 'x' }, { env: {}, folder: '/', allow: 'all' }))
    expect(error.hint).toContain('{ "env": "NAME" }')
  })
})

describe('announced servers', () => {
  it('R-SEC-06 read only what the operator lists', async () => {
    await using folder = await tempFolder({ token: secret, 'ran.js': "require('fs').writeFileSync('ran', '')" })
    const source = { env: { A: 'a', B: secret }, folder: folder.path, allow: new Set(['A', 'listed']) }
    expect(await resolveSecret({ env: 'A' }, source)).toBe('a')
    await folder.write('listed', 'from a file')
    expect(await resolveSecret({ file: 'listed' }, source)).toBe('from a file')

    const refused: readonly SecretRef[] = [{ env: 'B' }, { file: 'token' }, { file: './listed' }, { store: 'x' }]
    for (const ref of refused) {
      const error = await caught(() => resolveSecret(ref, source))
      expect(error.code).toBe('SECRET_MISSING')
      expect(error.hint).toContain('"secrets.allow"')
      expect(error.message).not.toContain(secret)
    }
  })

  it('R-SEC-06 never run a command, whatever is listed', async () => {
    await using folder = await tempFolder()
    const ref = { command: [process.execPath, '-e', "require('fs').writeFileSync('ran', '')"] }
    const allow = new Set([process.execPath, 'command', 'all'])
    await caught(() => resolveSecret(ref, { env: {}, folder: folder.path, allow }))
    const error = await caught(() => resolveSecret({ file: 'ran' }, { env: {}, folder: folder.path, allow: 'all' }))
    expect(error.message).toContain('can not be read')
  })

  it('read nothing when nothing is listed', async () => {
    const error = await caught(() => resolveSecret({ env: 'A' }, { env: { A: 'a' }, folder: '/' }))
    expect(error.message).toContain('may not be read')
  })
})
