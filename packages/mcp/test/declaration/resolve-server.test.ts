import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerDeclaration } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { codesIn, failureOf, list, settled, textOf } from '../observe.ts'
import { callBy, fixture, fixtures, hostEnvironment, openProject } from '../open-project.ts'

const announced = { source: 'announced', plugin: 'acme', pin: 'first-use' } as const
const canaries = { ...hostEnvironment, HOST_KEY: 'CANARY-a', MY_PLAIN: 'CANARY-b', NODE_OPTIONS: '', LC_TIME: 'C' }

describe('the environment of a server', () => {
  it('is a short list and what is declared, and nothing else of the host', async () => {
    await using project = await openProject()
    const server = fixture('answers', { PASSED: '${MY_PLAIN}', LITERAL: '$${X}', FALLBACK: '${NOT_SET:-six}' })
    const provider = await project.open(project.start({ env: canaries }), 'a', server)
    await settled(provider)
    const environment = JSON.parse(textOf(await provider.call('environment', {}, callBy())))
    expect(environment).toMatchObject({ PASSED: 'CANARY-b', LITERAL: '${X}', FALLBACK: 'six', LC_TIME: 'C' })
    expect(environment.PATH).toBe(process.env.PATH)
    expect(environment).not.toHaveProperty('HOST_KEY')
    expect(environment).not.toHaveProperty('MY_PLAIN')
    expect(environment).not.toHaveProperty('NODE_OPTIONS')
  })

  it('may hold variables that load code only where the operator set them', async () => {
    await using project = await openProject()
    const server = fixture('answers', { GIT_DIR: '/x', LD_CANARY: 'yes' })
    const mcp = project.start({ allowedCommands: [['node']] })
    const own = await project.open(mcp, 'own', server)
    await settled(own)
    expect(JSON.parse(textOf(await own.call('environment', {}, callBy())))).toMatchObject({ LD_CANARY: 'yes' })
    const foreign = await project.open(mcp, 'foreign', server, announced)
    expect((await failureOf(list(foreign))).code).toBe('LAUNCH_REFUSED')
  })
})

describe('a missing value', () => {
  it.each([
    ['a secret', { KEY: { env: 'NOT_SET_AT_ALL' } }, 'SECRET_MISSING'],
    ['a variable', { KEY: '${NOT_SET_AT_ALL}' }, 'VARIABLE_MISSING'],
  ])('(%s) holds the server, is named, and nothing is started', async (_what, env, code) => {
    await using project = await openProject()
    const server = { ...fixture('answers'), env: { ...env, LOG_FILE: project.logFile } }
    const provider = await project.open(project.start(), 'a', server)
    const listing = await list(provider)
    expect(listing.holds.map(({ by }) => by)).toEqual(['needsSecret'])
    expect(codesIn(listing)).toEqual([code])
    expect(JSON.stringify(listing)).toContain('NOT_SET_AT_ALL')
    expect(await project.log()).toEqual([])
  })

  it('that went missing after the list was pinned is noticed before a call is sent', async () => {
    await using project = await openProject()
    const server = { ...fixture('answers'), env: { KEY: { env: 'MY_PLAIN' } } }
    const first = project.start({ env: canaries })
    await settled(await project.open(first, 'a', server))
    await first[Symbol.asyncDispose]()
    const provider = await project.open(project.start(), 'a', server)
    expect((await list(provider)).tools).not.toHaveLength(0)
    expect((await failureOf(provider.call('echo', {}, callBy()))).code).toBe('SECRET_MISSING')
  })
})

describe('what a variable holds', () => {
  const env = { ...hostEnvironment, KEY_OF_MINE: 'CANARY-kept' }

  it('is not repeated where a server can not be started', async () => {
    await using project = await openProject()
    const mcp = project.start({ env, pinning: 'off' })
    await project.open(mcp, 'a', { command: 'no-such-${KEY_OF_MINE}' })
    await project.open(mcp, 'b', { ...fixture('answers'), cwd: './${KEY_OF_MINE}' })
    for (const id of ['a', 'b']) {
      const report = await mcp.sync(id, { accept: true, by: 'ann' })
      expect(report).toMatchObject({ status: 'failed', error: { code: 'SERVER_UNAVAILABLE' } })
      expect(JSON.stringify(report)).not.toContain('CANARY')
    }
  })

  it('is not repeated where a server writes its own command line into an error', async () => {
    await using project = await openProject()
    const script = await project.write('tells.mjs', "console.error('got', process.argv[2]); process.exit(3)")
    const mcp = project.start({ env, pinning: 'off' })
    await project.open(mcp, 'a', { command: 'node', args: [script, '--key=${KEY_OF_MINE}'] })
    const report = await mcp.sync('a', { accept: true, by: 'ann' })
    expect(report.error?.message).toContain('--key=[redacted]')
    expect(JSON.stringify([report, mcp.servers()])).not.toContain('CANARY')
  })

  it('is not repeated where a server answers with an error that holds it', async () => {
    await using project = await openProject()
    const script = await project.write(
      'echoes.mjs',
      `import { createInterface } from 'node:readline'
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (method === process.env.FAIL) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -1, message: 'bad ' + process.env.KEY } }))
  else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } } }))
})`,
    )
    const mcp = project.start({ env, pinning: 'off' })
    for (const method of ['initialize', 'tools/list']) {
      const server = { command: 'node', args: [script], env: { FAIL: method, KEY: '${KEY_OF_MINE}' } }
      const provider = await project.open(mcp, 'a', server)
      const report = await mcp.sync('a', { accept: true, by: 'ann' })
      expect(report.error?.message).toContain('bad [redacted]')
      expect(JSON.stringify([report, mcp.servers()])).not.toContain('CANARY')
      await provider[Symbol.asyncDispose]()
    }
  })
})

describe('an announced server', () => {
  it('R-SEC-06 starts only what the operator allows', async () => {
    await using project = await openProject()
    const script = join(fixtures, 'answers.mjs')
    const server = { command: process.execPath, args: [script, '--flag'], env: { LOG_FILE: project.logFile } }
    for (const allowedCommands of [
      [],
      [['npx']],
      [['node', 'other.mjs']],
      [['node', script, '--flag', 'more']],
      [[]],
    ]) {
      const provider = await project.open(project.start({ allowedCommands }), 'a', server, announced)
      const failure = await failureOf(list(provider))
      expect(failure.code).toBe('LAUNCH_REFUSED')
      expect(failure.hint).toContain('mcp.allowedCommands')
    }
    expect(await project.log()).toEqual([])
    for (const allowedCommands of [[['node', script]], [['node', join(fixtures, '.', 'answers.mjs')]]]) {
      const provider = await project.open(project.start({ allowedCommands }), 'a', server, announced)
      expect((await settled(provider)).holds).toEqual([])
    }
  })

  it('R-SEC-06 can not bring another program under the name of an allowed one', async () => {
    await using project = await openProject()
    const script = `import ${JSON.stringify(join(fixtures, 'answers.mjs'))}`
    await project.write('server.mjs', script)
    await mkdir(join(project.folder, 'other'))
    await project.write('other/server.mjs', script)
    const env = { LOG_FILE: project.logFile }
    const mcp = project.start({ allowedCommands: [['node', './server.mjs'], ['npx']] })
    const code = async (server: ServerDeclaration) =>
      (await failureOf(list(await project.open(mcp, 'a', server, announced)))).code
    const own = { command: 'node', args: ['./server.mjs'], env }
    expect(await code({ ...own, cwd: './other' })).toBe('LAUNCH_REFUSED')
    expect(await code({ command: 'npx', args: ['x'], env: { ...env, PATH: project.folder } })).toBe('LAUNCH_REFUSED')
    expect(await project.log()).toEqual([])
    expect((await settled(await project.open(mcp, 'a', own, announced))).holds).toEqual([])
  })

  it('R-SEC-06 reads only the variables and secrets that are listed, besides the two folders', async () => {
    await using project = await openProject()
    const options = { env: canaries, allowedCommands: [['node']], variables: { ROLLCALL_CONFIG_DIR: '/config' } }
    const server = { ...fixture('answers'), env: { OPEN: '${ROLLCALL_CONFIG_DIR}', KEY: { env: 'MY_PLAIN' } } }
    const refused = await list(await project.open(project.start(options), 'a', server, announced))
    expect(codesIn(refused)).toEqual(['SECRET_MISSING'])
    expect(JSON.stringify(refused)).not.toContain('CANARY')
    const byVariable = { ...server, env: { KEY: '${MY_PLAIN}' } }
    expect(codesIn(await list(await project.open(project.start(options), 'a', byVariable, announced)))).toEqual([
      'VARIABLE_MISSING',
    ])
    const allowed = await project.open(
      project.start({ ...options, secretsAllow: ['MY_PLAIN'] }),
      'a',
      server,
      announced,
    )
    await settled(allowed)
    expect(JSON.parse(textOf(await allowed.call('environment', {}, callBy())))).toMatchObject({
      OPEN: '/config',
      KEY: 'CANARY-b',
    })
  })

  it('R-SEC-06 is told apart when a secret is asked for', async () => {
    await using project = await openProject()
    const asked: unknown[] = []
    const resolveSecret = async (ref: object, asker: object) => {
      asked.push({ ref, asker })
      return 'value'
    }
    const server = { ...fixture('answers'), env: { KEY: { store: 'a/KEY' } } }
    const mcp = project.start({ allowedCommands: [['node']], resolveSecret })
    await settled(await project.open(mcp, 'a', server, announced))
    expect(asked).toContainEqual({ ref: { store: 'a/KEY' }, asker: { announced: true } })
  })
})
