import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { root } from './list-files.ts'
import { renderReadme } from './readme.ts'

const readme = await readFile(join(root, 'README.md'), 'utf8')
const pages = [
  readme,
  ...(await Promise.all(
    ['CONTRIBUTING.md', 'packages/cli/README.md'].map((page) => readFile(join(root, page), 'utf8')),
  )),
]

it('the code of the README is the code of the examples, which run on their own', async () => {
  expect(await renderReadme(readme)).toBe(readme)
})

it('every script and every command that is named exists', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const named = pages.flatMap((page) =>
    [...page.matchAll(/pnpm@12 (?:-s )?(?:run )?([a-z]+)/g)].map(([, script = '']) => script),
  )
  expect(named.filter((script) => !(script in scripts))).toEqual([])
  const { stdout: help } = await execa('node', ['packages/cli/src/main.ts', '--help'], {
    cwd: root,
    preferLocal: true,
    localDir: root,
  })
  const commands = pages.join('\n').matchAll(/(?<![\w/@-])rollcall (?:-s )?([a-z]+)(?= |`|$)/gm)
  for (const [, command = ''] of commands) expect(help, command).toMatch(new RegExp(`^ +${command}\\b`, 'm'))
})

it('every file that is linked exists, and it stays short', async () => {
  for (const [, path = ''] of readme.matchAll(/\]\(([^)#:]+)\)/g)) await access(join(root, path))
  expect(readme.split('\n').length).toBeLessThanOrEqual(150)
})
