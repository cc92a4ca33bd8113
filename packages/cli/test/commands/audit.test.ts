import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { csvLine } from '../../src/output/csv-line.ts'
import { runInProcess } from '../in-process.ts'
import { makeProject, type Project, pluginFiles, toolSource } from '../project.ts'

let project: Project
beforeAll(async () => {
  project = await makeProject({
    'rollcall.config.json': { plugins: ['./plugins/demo'] },
    ...pluginFiles('demo', toolSource.save),
  })
  await runInProcess(project, ['enable', 'demo__save'])
  await runInProcess(project, ['call', 'demo__save', 'text=one', '--approve'])
  for (let time = 0; time < 3; time++) await runInProcess(project, ['call', 'demo__absent'])
})
afterAll(() => project[Symbol.asyncDispose]())

const json = async (...words: readonly string[]) =>
  JSON.parse((await runInProcess(project, [...words, '--json'])).stdout)
const stateFile = (name: string) => join(project.folder, '.rollcall', name)

describe('rollcall audit', () => {
  it('R-GOV-63 tells each call once, with who decided and how it ended, and equal denials as one', async () => {
    const { records } = await json('audit')
    expect(records).toMatchObject([
      {
        tool: 'demo__save',
        principal: 'local-user',
        verdict: 'ask',
        decision: { by: 'local-user', answer: 'approved', self: true },
        status: 'ok',
      },
      { tool: 'demo__absent', status: 'denied', code: 'TOOL_NOT_FOUND', times: 3 },
    ])
    expect(JSON.stringify(records)).not.toContain('one')
    const { stdout } = await runInProcess(project, ['audit'])
    expect(stdout).toMatch(/demo__save +.*ask \(approval\) +.*ok/)
    expect((await json('audit', '--status', 'denied')).records).toHaveLength(1)
    expect((await json('audit', '--tool', 'demo__save', '--since', '1h')).records).toHaveLength(1)
  })

  it('R-GOV-63 is exported line by line, and no cell is a formula', async () => {
    const { stdout } = await runInProcess(project, ['audit', 'export'])
    const statuses = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).status)
    expect(statuses).toEqual(['ok', 'denied'])
    expect(await json('audit', 'export')).toMatchObject({ records: [{ status: 'ok' }, { status: 'denied' }] })
    expect((await runInProcess(project, ['audit', 'export', '--since', '0s'])).stdout.trim()).toBe('')
    expect((await runInProcess(project, ['audit', 'export', '--tool', 'demo__save'])).stdout.split('\n')).toHaveLength(
      2,
    )
    const csv = await runInProcess(project, ['audit', 'export', '--format', 'csv'])
    expect(csv.stdout.split('\n')[0]).toMatch(/^at,callId,tool/)
    expect(csvLine(['=1+1', '@x', '-2', 'a,"b"', 'plain'])).toBe(`"'=1+1","'@x","'-2","a,""b""",plain`)
    expect((await runInProcess(project, ['audit', 'export', '--format', 'xml'])).code).toBe(2)
  })

  it('R-GOV-69 is told with content where that was kept', async () => {
    await using other = await makeProject({
      'rollcall.config.json': { plugins: ['./plugins/demo'], audit: { content: 'redacted' }, store: { key: 'file' } },
      ...pluginFiles('demo', toolSource.save),
    })
    await runInProcess(other, ['enable', 'demo__save'])
    await runInProcess(other, ['call', 'demo__save', 'text=m1lk', '--approve'])
    for (const words of [['export'], ['export', '--format', 'csv'], ['--json']]) {
      expect((await runInProcess(other, ['audit', ...words])).stdout).not.toContain('m1lk')
      expect((await runInProcess(other, ['audit', ...words, '--content'])).stdout).toMatch(/m1lk[\s\S]*Saved m1lk\./)
    }
  })

  it('R-GOV-67 tells where records are sent, and what is wrong with that', async () => {
    expect((await runInProcess(project, ['audit', 'sinks'])).stdout).toContain('No sink is configured')
    const sinks = [{ webhook: 'http://127.0.0.1:9/t0ken', allowPrivateNetwork: true }]
    await using other = await makeProject({
      'rollcall.config.json': { plugins: ['./plugins/demo'], audit: { sinks } },
      ...pluginFiles('demo', toolSource.save),
    })
    await runInProcess(other, ['call', 'demo__absent'])
    // The next command takes over what the one before has left.
    await runInProcess(other, ['tools'])
    await expect
      .poll(async () => (await runInProcess(other, ['audit', 'sinks'])).stdout, { timeout: 20_000 })
      .toMatch(/webhook-[0-9a-f]{8} +\d+ events? +\S/)
    expect((await runInProcess(other, ['audit', 'sinks', '--json'])).stdout).not.toContain('t0ken')
  })

  it('R-SEC-22 R-GOV-62 is verified with the public part of the key, which alone may be read by others', async () => {
    const fine = await runInProcess(project, ['audit', 'verify', '--public-key', '.rollcall/audit.pub'])
    expect(fine).toMatchObject({ code: 0, stdout: expect.stringContaining('all as they were written') })
    expect((await stat(stateFile('audit.key'))).mode & 0o777).toBe(0o600)
    expect(await readFile(stateFile('audit.pub'), 'utf8')).toContain('PUBLIC KEY')
    const wrong = await runInProcess(project, ['audit', 'verify', '--public-key', 'rollcall.config.json'])
    expect(wrong.stderr).toContain('AUDIT_KEY_INVALID')
    expect((await runInProcess(project, ['audit', 'prune', '--before', '30d'])).stdout).toContain('0 events removed')
  })

  it('a key that is none stops what would vouch by it, and says so', async () => {
    const key = await readFile(stateFile('audit.key'), 'utf8')
    await writeFile(stateFile('audit.key'), '-----END of nothing')
    const run = await runInProcess(project, ['tools'])
    expect(run.stderr).toContain('AUDIT_KEY_INVALID')
    await writeFile(stateFile('audit.key'), key)
    expect((await runInProcess(project, ['tools'])).code).toBe(0)
  })
})
