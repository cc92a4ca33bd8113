import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { answering, runInProcess } from '../in-process.ts'
import { makeProject, type Project, pluginFiles, toolSource } from '../project.ts'

let project: Project
beforeAll(async () => {
  project = await makeProject({
    'rollcall.config.json': { plugins: ['./plugins/demo'] },
    ...pluginFiles('demo', toolSource.save),
  })
  await runInProcess(project, ['enable', 'demo__save'])
})
afterAll(() => project[Symbol.asyncDispose]())

interface Listed {
  readonly id: string
  readonly code: string
  readonly tool: string
  readonly args: unknown
}

async function approvals(): Promise<readonly Listed[]> {
  return JSON.parse((await runInProcess(project, ['approvals', '--json'])).stdout).approvals
}

let waiting: Listed
beforeEach(async () => {
  for (const { id } of await approvals()) await runInProcess(project, ['deny', id])
  expect((await runInProcess(project, ['call', 'demo__save', 'text=milk'])).code).toBe(4)
  const [only, ...others] = await approvals()
  expect(others).toEqual([])
  if (only === undefined) throw new TypeError('nothing waits')
  waiting = only
})

describe('a call that waits for a person', () => {
  it('is listed with what a person needs to know', async () => {
    expect(waiting).toMatchObject({ tool: 'demo__save', args: { text: 'milk' } })
    const { stdout } = await runInProcess(project, ['approvals'])
    expect(stdout).toContain(waiting.id)
    expect(stdout).toContain(waiting.code)
  })

  it('R-SEC-09 can not be approved without a terminal', async () => {
    const { code, stderr } = await runInProcess(project, ['approve', waiting.id])
    expect(code).toBe(4)
    expect(stderr).toContain('APPROVAL_PENDING')
    expect(await approvals()).toHaveLength(1)
  })

  it('is executed by the second terminal when the process that made it is gone', async () => {
    const run = await runInProcess(project, ['approve', waiting.id], answering({ text: waiting.code.toLowerCase() }))
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('Saved milk.') })
    expect(run.stderr).toContain('the plugin says   saves milk')
    expect(await approvals()).toEqual([])
  })

  it('is executed once, by the process in which it waits, when that one is still there', async () => {
    let left: (value: undefined) => void = () => {}
    const prompts = answering({})
    const asked = Promise.withResolvers<void>()
    const caller = runInProcess(project, ['call', 'demo__save', 'text=bread'], {
      ...prompts,
      choose: (_question, _choices, signal) => {
        asked.resolve()
        signal?.addEventListener('abort', () => left(undefined))
        return new Promise((resolve) => {
          left = resolve
        })
      },
    })
    await asked.promise
    const other = (await approvals()).find(({ id }) => id !== waiting.id)
    const approver = await runInProcess(project, ['approve', other?.id ?? ''], answering({ text: other?.code ?? '' }))
    expect(approver).toMatchObject({ code: 0, stdout: expect.stringContaining('the process that made the call') })
    expect(await caller).toMatchObject({ code: 0, stdout: expect.stringContaining('Saved bread.') })
  })

  it('keeps waiting when the code is not the one on the card', async () => {
    const run = await runInProcess(project, ['approve', waiting.id], answering({ text: 'AAAA' }))
    expect(run.code).toBe(1)
    expect(await approvals()).toHaveLength(1)
  })

  it('is named by the end of its id, when that is long enough and names one call only', async () => {
    const short = await runInProcess(project, ['deny', waiting.id.slice(-3), '--json'])
    expect(short.code).toBe(1)
    expect(JSON.parse(short.stdout).error).toMatchObject({
      code: 'APPROVAL_NOT_FOUND',
      message: expect.stringContaining('too short'),
    })
    expect((await runInProcess(project, ['deny', waiting.id.slice(-4)])).code).toBe(0)
  })

  it('is over when it is denied', async () => {
    expect((await runInProcess(project, ['deny', waiting.id, '--reason', 'not today'])).code).toBe(0)
    expect(await approvals()).toEqual([])
    expect((await runInProcess(project, ['deny', waiting.id, '--json'])).code).toBe(1)
  })

  it('is approved or denied in place by whoever is at the terminal of the call', async () => {
    const words = ['call', 'demo__save', 'text=tea']
    const approved = await runInProcess(project, words, answering({ choose: 'a' }))
    expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining('Saved tea.') })
    const denied = await runInProcess(project, words, answering({ choose: 'd' }))
    expect(denied).toMatchObject({ code: 1, stderr: expect.stringContaining('APPROVAL_DENIED') })
    const left = await runInProcess(project, words, answering({}))
    expect(left.code).toBe(130)
  })

  it('R-SEC-11 can be approved only after all of a long card was shown', async () => {
    const questions: string[] = []
    const prompts = answering({ choose: ['m', 'm', 'm', 'a'] })
    const text = Array.from({ length: 900 }, (_, at) => `word${at}`).join(' ')
    const run = await runInProcess(project, ['call', 'demo__save', `text=${text}`], {
      ...prompts,
      choose: (question, choices, signal) => {
        questions.push(question)
        if (question.startsWith('Run it')) return Promise.resolve('a')
        expect(choices.map(({ key }) => key)).toEqual(['m'])
        return prompts.choose(question, choices, signal).then(() => 'm')
      },
    })
    expect(run.code).toBe(0)
    expect(questions.length).toBeGreaterThan(2)
    expect(questions.at(-1)).toMatch(/^Run it/)
  })
})

describe('a tool that is off', () => {
  it('is switched on in place when the person says so', async () => {
    await runInProcess(project, ['disable', 'demo__save'])
    const no = await runInProcess(project, ['call', 'demo__save', 'text=x'], answering({ confirm: false }))
    expect(no.code).toBe(1)
    const yes = await runInProcess(project, ['call', 'demo__save', 'text=x'], answering({ confirm: true, choose: 'a' }))
    expect(yes).toMatchObject({ code: 0, stdout: expect.stringContaining('Saved x.') })
  })
})
