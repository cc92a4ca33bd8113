import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runInProcess } from '../in-process.ts'
import { makeProject } from '../project.ts'

it('tells of every server how it is, and starts none for that', async () => {
  const providers = { one: { command: 'node', args: ['s.mjs'] } }
  await using project = await makeProject({
    'rollcall.config.json': { providers },
    's.mjs': "await (await import('node:fs/promises')).writeFile('started', '')",
  })
  const { code, stdout } = await runInProcess(project, ['status', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout).servers).toEqual([
    { appId: 'one', transport: 'stdio', state: 'idle', noiseLines: 0, connections: 0, unattributed: 0 },
  ])
  await expect(access(join(project.folder, 'started'))).rejects.toThrow('ENOENT')
})
