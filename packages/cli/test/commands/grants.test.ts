import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answering, runInProcess } from '../in-process.ts'
import { makeProject, type Project, pluginFiles, toolSource } from '../project.ts'

const config = { plugins: ['./plugins/demo'] }
let project: Project
beforeAll(async () => {
  project = await makeProject({
    'rollcall.config.json': config,
    ...pluginFiles('demo', toolSource.save),
  })
  await runInProcess(project, ['enable', 'demo__save'])
})
afterAll(() => project[Symbol.asyncDispose]())

const json = async (...words: readonly string[]) =>
  JSON.parse((await runInProcess(project, [...words, '--json'])).stdout)

describe('a yes at the terminal that is good for a while', () => {
  it('R-GOV-15 is offered on the card, covers the next call, is listed and taken back', async () => {
    const first = await runInProcess(project, ['call', 'demo__save', 'text=one'], answering({ choose: '8' }))
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Saved one.') })
    expect(first.stderr).toContain('this terminal · profile direct · no taint')
    // Without a terminal: nobody could be asked.
    expect(await runInProcess(project, ['call', 'demo__save', 'text=two'])).toMatchObject({ code: 0 })
    const { stdout } = await runInProcess(project, ['approvals'])
    expect(stdout).toMatch(/GRANT +TOOL +ARGUMENTS/)
    expect(stdout).toMatch(/demo__save +any +local-user/)
    const [grant] = (await json('approvals')).grants
    expect(await runInProcess(project, ['approvals', '--revoke', grant.id.slice(-8)])).toMatchObject({ code: 0 })
    expect((await runInProcess(project, ['call', 'demo__save', 'text=three'])).code).toBe(4)
    expect((await runInProcess(project, ['approvals', '--revoke', grant.id.slice(-8)])).stderr).toContain(
      'APPROVAL_NOT_FOUND',
    )
  })

  it('R-GOV-15 is given from a second terminal for a time, which must be one', async () => {
    const [waiting] = (await json('approvals')).approvals
    const bad = await runInProcess(project, ['approve', waiting.id, '--for', 'ever'], answering({ text: waiting.code }))
    expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining('--for is no time') })
    const long = await runInProcess(project, ['approve', waiting.id, '--for', '9h'], answering({ text: waiting.code }))
    expect(long.stderr).toContain('GRANT_REFUSED')
    const fine = await runInProcess(
      project,
      ['approve', waiting.id, '--for', '30m', '--exact'],
      answering({ text: waiting.code }),
    )
    expect(fine.code).toBe(0)
    expect((await runInProcess(project, ['call', 'demo__save', 'text=three'])).code).toBe(0)
    expect((await runInProcess(project, ['call', 'demo__save', 'text=four'])).code).toBe(4)
  })
})

describe('rollcall what-if', () => {
  it('R-GOV-17 tells what another configuration would have said, and changes nothing', async () => {
    const same = await runInProcess(project, ['what-if'])
    expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining('0 would end otherwise') })
    const rules = [
      { when: { tool: 'demo__*', args: { properties: { text: { const: 'one' } } } }, then: 'allow' },
      { when: { tool: 'demo__save', effect: 'write' }, then: 'deny', reason: 'the quiet week' },
    ]
    await project.write({ 'other.config.json': { ...config, rules } })
    const { groups, changed, calls } = await json('--config', 'other.config.json', 'what-if', '--since', '1h')
    expect(groups).toMatchObject([{ tool: 'demo__save', before: 'ask', now: 'deny', why: 'rules[1]: the quiet week' }])
    expect([changed, groups[0].calls]).toEqual([calls, calls])
    const text = await runInProcess(project, ['--config', 'other.config.json', 'what-if'])
    expect(text).toMatchObject({ code: 1, stdout: expect.stringMatching(/demo__save +direct +ask +deny/) })
    expect((await runInProcess(project, ['what-if', '--since', 'forever'])).code).toBe(2)
  })
})
