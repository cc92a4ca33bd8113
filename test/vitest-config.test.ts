import { matchesGlob } from 'node:path'
import { expect, it } from 'vitest'
import config from '../vitest.config.ts'
import { listFiles, root } from './list-files.ts'

const projects = (config.test?.projects ?? []) as readonly { readonly test: { readonly include: readonly string[] } }[]
/** How many of the projects run a file. */
const runs = (path: string) =>
  projects.filter(({ test }) => test.include.some((pattern) => matchesGlob(path, pattern))).length

it('the tests of our plugins are run, and not those of a plugin that somebody makes beside them', () => {
  const of = (name: string) => runs(`plugins/${name}/test/plugin.test.ts`)
  expect(['filesystem', 'notes-legacy', 'system', 'dice'].map(of)).toEqual([1, 1, 1, 0])
})

it('every test is run, and once', async () => {
  const files = await listFiles(/^(packages|plugins|examples|test)\/.*\.test\.ts$/)
  expect(files.length).toBeGreaterThan(200)
  // Those of what an author begins with are run by Node, as the author runs them.
  const isAuthors = (path: string) => /^packages\/cli\/templates\/|^examples\/[^/]+\/test\//.test(path)
  const ours = files.map((path) => path.slice(root.length)).filter((path) => !isAuthors(path))
  expect(ours.filter((path) => runs(path) !== 1)).toEqual([])
})
