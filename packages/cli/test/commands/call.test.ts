import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeProject, type Project, pluginFiles, toolSource } from '../project.ts'

let project: Project
beforeAll(async () => {
  const { greet, fail, save, secret } = toolSource
  project = await makeProject({
    'rollcall.config.json': {
      plugins: ['./plugins/demo'],
      profiles: { cloud: { zone: 'externalGlobal' } },
    },
    ...pluginFiles('demo', [greet, fail, save, secret].join(', '), `console.log('noise on standard output')`),
  })
})
afterAll(() => project[Symbol.asyncDispose]())

describe('rollcall call', () => {
  it('prints what the tool says and exits 0', async () => {
    expect(await project.runTrusted('call', 'demo__greet', 'name=you')).toMatchObject({
      code: 0,
      stdout: 'Hello, you!\n',
    })
  })

  it('gives the outcome as JSON, whatever a plugin writes to standard output', async () => {
    const { code, stdout, stderr } = await project.runTrusted('call', 'demo__greet', '{"name":"you"}', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'ok', text: 'Hello, you!', callId: expect.any(String) })
    expect(stderr).toContain('noise on standard output')
  })

  it('exits 1 when the tool fails, is denied, or does not exist', async () => {
    const failed = await project.runTrusted('call', 'demo__fail')
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toContain('TOOL_FAILED')
    const denied = await project.runTrusted('call', 'demo__secret', '--profile', 'cloud', '--json')
    expect([denied.code, JSON.parse(denied.stdout).status]).toEqual([1, 'denied'])
    const unknown = await project.runTrusted('call', 'demo__gret', '--json')
    expect([unknown.code, JSON.parse(unknown.stdout).code]).toEqual([1, 'TOOL_NOT_FOUND'])
    expect(JSON.parse(unknown.stdout)).toMatchObject({ findings: [], text: expect.stringContaining('demo__greet?') })
  })

  it('says why the tool of a plugin that failed is missing, and where in its code', async () => {
    const broken = await makeProject({
      'rollcall.config.json': { plugins: ['./plugins/dice'] },
      ...pluginFiles('dice', '(() => { throw new TypeError("boom") })()'),
    })
    await using _ = broken
    const text = await broken.runTrusted('call', 'dice__hello')
    expect(text.code).toBe(1)
    expect(text.stderr).toContain('boom')
    expect(text.stderr).toMatch(/at plugin\.js:\d+:\d+/)
    const { stdout } = await broken.runTrusted('call', 'dice__hello', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ code: 'TOOL_NOT_FOUND', findings: [{ code: 'LISTENER_FAILED' }] })
  })

  it('switches a group by its bare name, and names the nearest match of what is not there', async () => {
    expect((await project.runTrusted('disable', 'demo')).stdout).toContain('demo__greet is off')
    expect((await project.runTrusted('enable', 'demo')).stdout).toContain('demo__greet is on')
    const missing = await project.runTrusted('disable', 'demp')
    expect(missing.code).toBe(1)
    expect(missing.stderr.replace(/\s+/g, ' ')).toContain('There is no tool, group or plugin demp. Did you mean demo?')
  })

  it('exits 2 when the command line is not understood', async () => {
    const words = await project.runTrusted('call', 'demo__greet', 'you', '--json')
    expect([words.code, JSON.parse(words.stdout).error.code]).toEqual([2, 'USAGE'])
    const profile = await project.runTrusted('call', 'demo__greet', 'name=you', '--profile', 'nope')
    expect(profile.code).toBe(2)
    expect(profile.stderr).toContain('direct, default, cloud')
  })

  it('says how to switch on what is off, when nobody can be asked', async () => {
    const { code, stdout } = await project.runTrusted('call', 'demo__save', 'text=x', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'denied',
      text: 'demo__save is held: off until somebody switches it on.',
      hint: expect.stringContaining('rollcall enable'),
    })
  })

  it('exits 4 when a person is needed and there is none, and runs with --approve', async () => {
    expect((await project.runTrusted('enable', 'demo__save')).code).toBe(0)
    const waiting = await project.runTrusted('call', 'demo__save', 'text=x')
    expect(waiting.code).toBe(4)
    expect(waiting.stderr).toContain('rollcall approve')
    const approved = await project.runTrusted('call', 'demo__save', 'text=x', '--approve')
    expect(approved).toMatchObject({ code: 0, stdout: 'Saved x.\n' })
    expect((await project.runTrusted('disable', 'demo__save')).stdout).toContain('off')
  })
})
