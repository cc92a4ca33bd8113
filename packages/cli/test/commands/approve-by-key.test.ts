import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { answering, runInProcess } from '../in-process.ts'
import { makeProject, type Project, pluginFiles, toolSource } from '../project.ts'

let project: Project
beforeAll(async () => {
  project = await makeProject({
    'rollcall.config.json': {
      plugins: ['./plugins/demo'],
      profiles: {
        team: { zone: 'local', serve: true, fourEyes: true, approvals: { by: ['ann', 'local-user'] } },
        closed: { zone: 'local', approvals: { channels: ['console'] } },
      },
    },
    ...pluginFiles('demo', toolSource.save),
  })
  await runInProcess(project, ['enable', 'demo__save'])
})
afterAll(() => project[Symbol.asyncDispose]())

/** Makes a key at a terminal, and gives a project whose commands carry it. */
async function withKey(person: string, scope: string): Promise<Project> {
  const words = ['keys', 'add', '--person', person, '--profile', 'team', '--scope', scope]
  const { stdout } = await runInProcess(project, words, answering({ confirm: true }))
  return { ...project, env: { ...project.env, ROLLCALL_KEY: stdout.trim() } }
}

interface Listed {
  readonly id: string
  readonly code: string
}
const listed = async (): Promise<readonly Listed[]> =>
  JSON.parse((await runInProcess(project, ['approvals', '--json'])).stdout).approvals

let waiting: Listed
beforeEach(async () => {
  for (const { id } of await listed()) await runInProcess(project, ['deny', id])
  expect((await runInProcess(project, ['call', 'demo__save', 'text=milk', '--profile', 'team'])).code).toBe(4)
  const [only] = await listed()
  if (only === undefined) throw new TypeError('nothing waits')
  waiting = only
})

describe('the holder of a key that may approve', () => {
  it('R-GOV-47 approves without a terminal, by the code of the card, in the own name', async () => {
    const ann = await withKey('ann', 'runs:approve')
    const without = await runInProcess(ann, ['approve', waiting.id])
    expect(without).toMatchObject({ code: 4, stderr: expect.stringContaining('--code') })
    const wrong = await runInProcess(ann, ['approve', waiting.id, '--code', 'AAAA'])
    expect(wrong.code).toBe(1)
    const right = await runInProcess(ann, ['approve', waiting.id, '--code', waiting.code.toLowerCase()])
    expect(right).toMatchObject({ code: 0, stdout: expect.stringContaining('Saved milk.') })
    const { stdout } = await runInProcess(project, ['audit', '--json'])
    expect(stdout).toMatch(/"by":\s*"key:[a-z2-7]{12}"/)
  })

  it('R-SEC-24 the same person approves nothing of their own under four eyes, by whatever key', async () => {
    const own = await withKey('local-user', 'runs:approve')
    const refused = await runInProcess(own, ['approve', waiting.id, '--code', waiting.code])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('APPROVAL_SELF') })
    expect(await listed()).toHaveLength(1)
  })

  it('R-GOV-44 who is not named approves nothing, and denies', async () => {
    const bob = await withKey('bob', 'runs:approve')
    const refused = await runInProcess(bob, ['approve', waiting.id, '--code', waiting.code])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('APPROVAL_ROUTED') })
    expect((await runInProcess(bob, ['deny', waiting.id])).code).toBe(0)
  })

  it.each([
    ['of another scope', async () => await withKey('ann', 'tools:call')],
    ['that is none', async () => ({ ...project, env: { ...project.env, ROLLCALL_KEY: 'rollcall_x_y' } })],
  ])('R-SEC-09 a key %s decides nothing', async (_what, open) => {
    const other = await open()
    for (const words of [
      ['approve', waiting.id, '--code', waiting.code],
      ['deny', waiting.id],
    ]) {
      const run = await runInProcess(other, words)
      expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('KEY_INVALID') })
      expect(run.stderr).not.toContain('rollcall_x_y')
    }
    expect(await listed()).toHaveLength(1)
  })

  it('R-SEC-09 is made by a person at a terminal only', async () => {
    for (const more of [['--scope', 'runs:approve'], ['--scope', 'tools:call', 'runs:approve'], ['--admin']]) {
      const words = ['keys', 'add', '--person', 'eve', '--profile', 'team', ...more]
      const run = await runInProcess(project, words)
      expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('KEY_INVALID') })
      const left = await runInProcess(project, words, answering({ confirm: false }))
      expect(left).toMatchObject({ code: 2, stderr: expect.stringContaining('No key was made') })
    }
    expect((await runInProcess(project, ['keys', 'list'])).stdout).not.toContain('eve')
  })
})

it('R-GOV-43 a call of a profile without the channel of commands is not approved by one', async () => {
  expect((await runInProcess(project, ['call', 'demo__save', 'text=tea', '--profile', 'closed'])).code).toBe(4)
  const tea = (await listed()).find(({ id }) => id !== waiting.id)
  const run = await runInProcess(project, ['approve', tea?.id ?? ''], answering({ text: tea?.code ?? '' }))
  expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('APPROVAL_ROUTED') })
})
