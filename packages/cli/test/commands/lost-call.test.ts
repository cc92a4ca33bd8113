import { join } from 'node:path'
import { createHost, createSqliteStore, localUser, type Store } from '@rollcall/host'
import { createManualClock } from '@rollcall/host/testing'
import { expect, it } from 'vitest'
import { answering, runInProcess } from '../in-process.ts'
import { makeProject, type Project, pluginFiles, toolSource } from '../project.ts'

/** An hour ago a process began a write in this project, and died before it could say how that ended. */
async function loseCall(project: Project): Promise<void> {
  const clock = createManualClock(Date.now() - 3_600_000)
  const whole = await createSqliteStore({ file: join(project.folder, '.rollcall/rollcall.db'), clock })
  const append: Store['append'] = (stream, length, events, ...rest) =>
    events.some(({ type }) => type === 'call.ended')
      ? Promise.reject(new TypeError('the process is gone'))
      : whole.append(stream, length, events, ...rest)
  const host = await createHost({
    cwd: project.folder,
    plugins: ['./plugins/demo'],
    store: { ...whole, append },
    clock,
  })
  const asLocal = { principal: localUser }
  const waiting = await host.tools.call('demo__save', { text: 'milk' }, asLocal)
  if (waiting.status !== 'waiting') throw new TypeError(`not waiting but ${waiting.status}`)
  const { pending } = waiting
  await host.tools.answer(pending, { kind: 'approval', approved: true, binds: pending.binds }, localUser)
  await host.tools.resume(pending, asLocal)
  await host[Symbol.asyncDispose]()
  await whole[Symbol.asyncDispose]()
}

it('R-GOV-09 a write whose end is lost is shown to a person, is not approved again, and can be closed', async () => {
  await using project = await makeProject({
    'rollcall.config.json': { plugins: ['./plugins/demo'] },
    ...pluginFiles('demo', toolSource.save),
  })
  await runInProcess(project, ['enable', 'demo__save'])
  await loseCall(project)
  const listed = async () => JSON.parse((await runInProcess(project, ['approvals', '--json'])).stdout).approvals
  const [lost] = await listed()
  expect(lost).toMatchObject({ tool: 'demo__save', kind: 'unknown' })

  const again = await runInProcess(project, ['approve', lost.id], answering({ text: lost.code }))
  expect(again.stderr).toContain('TOOL_OUTCOME_UNKNOWN')
  expect(again.stderr).toContain(`rollcall deny ${lost.id}`)
  expect(await runInProcess(project, ['deny', lost.id])).toMatchObject({ code: 0, stdout: 'Closed: demo__save.\n' })
  expect(await listed()).toEqual([])
})
