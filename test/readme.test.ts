import { access, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
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

it('every block of code in a README compiles', async () => {
  const folder = await mkdtemp(join(root, 'test/readme-blocks-'))
  try {
    await copyFile(join(root, 'examples/01-one-plugin/src/plugin.ts'), join(folder, 'weather.ts'))
    const files: string[] = []
    for (const name of ['plugin', 'host', 'mcp', 'cli']) {
      const page = await readFile(join(root, 'packages', name, 'README.md'), 'utf8')
      for (const [, code = ''] of page.matchAll(/```ts\n([\s\S]*?)```/g)) {
        const file = `${name}-${files.length}.ts`
        await writeFile(join(folder, file), `${code}export {}\n`)
        files.push(file)
      }
    }
    expect(files.length).toBeGreaterThan(2)
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include: files }))
    const { stdout } = await execa('tsc', ['-p', folder], { reject: false, preferLocal: true, localDir: root })
    expect(stdout).toBe('')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
