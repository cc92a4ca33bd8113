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
    expect(JSON.parse(stdout)).toMatchObject({ status: 'denied', hint: expect.stringContaining('rollcall enable') })
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
