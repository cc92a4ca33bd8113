import { execFile } from 'node:child_process'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { fixtures } from '../open-project.ts'

const run = promisify(execFile)
const conformance = join(import.meta.dirname, '../../../../node_modules/conformance-next/dist/index.js')
const client = join(fixtures, 'stateless-conformance-client.ts')

const scenarios = [
  ['tools_call', 2],
  ['request-metadata', 8],
  ['sep-2322-client-request-state', 5],
  ['http-standard-headers', 9],
  ['http-custom-headers', 18],
  ['http-invalid-tool-headers', 12],
  ['json-schema-ref-no-deref', 1],
  ['json-schema-2020-12-preservation', 9],
] as const

it.each(scenarios)(
  'our client passes %s of public conformance at 2026-07-28, all %i checks of it',
  async (scenario, checks) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'rollcall-conformance-')))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const command = `${process.execPath} ${client}`
    const args = ['client', '--command', command, '--scenario', scenario, '--spec-version', '2026-07-28']
    // It rejects unless every check is passed and the client ended well.
    const { stdout, stderr } = await run(process.execPath, [conformance, ...args], { cwd: folder, timeout: 60_000 })
    expect(stdout + stderr).toMatch(new RegExp(`^Passed: ${checks}/${checks}, 0 failed, 0 warnings`, 'm'))
  },
  90_000,
)

it('which are all that it has for a client without OAuth and extensions', async () => {
  const { stdout } = await run(process.execPath, [conformance, 'list'])
  const clients = stdout.slice(stdout.indexOf('Client scenarios'), stdout.indexOf('Authorization server scenarios'))
  const known = [...clients.matchAll(/^ +- (\S+) \[.*2026-07-28.*\]$/gm)].map(([, name = '']) => name)
  expect(known.filter((name) => !name.startsWith('auth/'))).toEqual(scenarios.map(([name]) => name))
})
