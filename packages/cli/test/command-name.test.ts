import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { commandNameIn, repository } from '../src/command-name.ts'
import { version } from '../src/version.ts'

const root = join(import.meta.dirname, '../../..')

describe('the name of the command that runs from source', () => {
  it('is short inside the repository and whole outside it', () => {
    expect(repository).toBe(root)
    expect([commandNameIn(root), commandNameIn(join(root, 'plugins/dice'))]).toEqual(['npx rollcall', 'npx rollcall'])
    expect(commandNameIn(`${root}-other`)).toMatch(/node_modules[\\/]\.bin[\\/]rollcall"?$/)
  })

  it('starts it, also where the plugin of an example lies and where nothing of the repository is around', async () => {
    for (const cwd of [root, join(root, 'examples/01-one-plugin'), tmpdir()]) {
      const { exitCode, stdout, stderr } = await execa(`${commandNameIn(cwd)} --version`, { cwd, shell: true })
      expect([exitCode, stdout, stderr]).toEqual([0, version, ''])
    }
  })
})
