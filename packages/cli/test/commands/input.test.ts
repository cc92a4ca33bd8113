import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { answering, runInProcess } from '../in-process.ts'
import { makeProject, type Project, pluginFiles } from '../project.ts'

const pay = `defineTool({
  name: 'pay', description: 'Pays.',
  input: Type.Object({ to: Type.String(), amount: Type.Integer(), how: Type.Optional(Type.String()) }),
  asksPerson: Type.Object({
    amount: Type.Integer({ minimum: 1, maximum: 50, description: 'In euros' }),
    how: Type.Optional(Type.String({ enum: ['card', 'cash'] })),
  }),
  effect: 'write', dataClass: 'publicContent', approval: 'notNeeded',
  execute: ({ to, amount, how }) => 'Paid ' + amount + ' to ' + to + (how ? ' by ' + how : '') + '.',
})`

let project: Project
beforeAll(async () => {
  project = await makeProject({
    'rollcall.config.json': { plugins: ['./plugins/demo'], profiles: { team: { zone: 'local', serve: true } } },
    ...pluginFiles('demo', pay),
  })
  await runInProcess(project, ['enable', 'demo__pay'])
})
afterAll(() => project[Symbol.asyncDispose]())

interface Listed {
  readonly id: string
  readonly schema: unknown
}
const run = (...words: readonly string[]) => runInProcess(project, words)
const listed = async (): Promise<readonly Listed[]> => JSON.parse((await run('input', '--json')).stdout).inputs

let waiting: Listed
beforeEach(async () => {
  for (const { id } of await listed()) await run('deny', id)
  expect(await run('call', 'demo__pay', 'to=Bob', 'amount=50')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('rollcall input'),
  })
  const [only] = await listed()
  if (only === undefined) throw new TypeError('nothing waits')
  waiting = only
})

/** A person who answers each question by its name. */
const filling = (answers: Readonly<Record<string, string>>, questions: string[] = []) => ({
  ...answering({}),
  text: async (question: string) => {
    questions.push(question)
    return Object.entries(answers).find(([key]) => question.startsWith(key))?.[1]
  },
})

describe('a call that waits for values of a person', () => {
  it('R-GOV-54 is listed with what it asks for, here and among what waits', async () => {
    expect(waiting).toMatchObject({ tool: 'demo__pay', args: { to: 'Bob' }, schema: { required: ['amount'] } })
    const { stdout } = await run('input')
    expect(stdout).toContain(waiting.id)
    expect(stdout).toContain('amount, how')
    expect((await run('approvals')).stdout).toContain(`rollcall input ${waiting.id}`)
  })

  it('R-GOV-54 is told by why', async () => {
    expect((await run('why', 'demo__pay')).stdout).toContain('a person is asked for: amount, how')
  })

  it('R-GOV-54 is asked for each value in a terminal, and runs', async () => {
    const questions: string[] = []
    const done = await runInProcess(project, ['input', waiting.id], filling({ amount: '20', how: 'cash' }, questions))
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('Paid 20 to Bob by cash.') })
    expect(questions).toEqual(['amount In euros', 'how (card, cash) · may be left empty'])
    expect(await listed()).toEqual([])
  })

  it('R-GOV-54 takes values of the command line at a terminal', async () => {
    const done = await runInProcess(project, ['input', waiting.id, 'amount=3'], answering({}))
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('Paid 3 to Bob.') })
  })

  it('R-GOV-56 says what is wrong with a value, and still waits', async () => {
    const wrong = await runInProcess(project, ['input', waiting.id, 'amount=51'], answering({}))
    expect(wrong).toMatchObject({ code: 3, stderr: expect.stringMatching(/amount[\s\S]*INPUT_INVALID/) })
    expect(await listed()).toHaveLength(1)
  })

  it('R-SEC-09 takes no values from a program without a terminal or a key', async () => {
    const refused = await run('input', waiting.id, 'amount=3')
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('APPROVAL_PENDING') })
    expect(await listed()).toHaveLength(1)
  })

  it('R-GOV-47 takes them from the holder of a key that may decide', async () => {
    const words = ['keys', 'add', '--person', 'ann', '--profile', 'team', '--scope', 'runs:approve']
    const { stdout } = await runInProcess(project, words, answering({ confirm: true }))
    const ann = { ...project, env: { ...project.env, ROLLCALL_KEY: stdout.trim() } }
    expect((await runInProcess(ann, ['input', waiting.id])).stderr).toContain('INPUT_INVALID')
    const done = await runInProcess(ann, ['input', waiting.id, '{"amount": 4}'])
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('Paid 4 to Bob.') })
  })

  it('R-GOV-54 is filled in in place by whoever calls it at a terminal, until it fits', async () => {
    const amounts = ['99', '5']
    const person = {
      ...answering({}),
      text: async (question: string) => (question.startsWith('amount') ? amounts.shift() : ''),
    }
    const done = await runInProcess(project, ['call', 'demo__pay', 'to=Eve'], person)
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('Paid 5 to Eve.') })
    expect(amounts).toEqual([])
  })

  it('R-GOV-58 is over when it is denied, and nothing can be said any more', async () => {
    expect((await run('deny', waiting.id)).code).toBe(0)
    const late = await runInProcess(project, ['input', waiting.id, 'amount=3'], answering({}))
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('APPROVAL_NOT_FOUND') })
  })

  it('waits for no approval: neither command takes the place of the other', async () => {
    const wrong = await runInProcess(project, ['approve', waiting.id], answering({ text: 'AAAA' }))
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining(`rollcall input ${waiting.id}`) })
  })
})
