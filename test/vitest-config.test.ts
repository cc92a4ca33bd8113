import { matchesGlob } from 'node:path'
import { expect, it } from 'vitest'
import config from '../vitest.config.ts'

it('the tests of our plugins are run, and not those of a plugin that somebody makes beside them', () => {
  const isRun = (name: string) =>
    config.test?.include?.some((pattern) => matchesGlob(`plugins/${name}/test/plugin.test.ts`, pattern))
  expect(['filesystem', 'notes-legacy', 'system', 'dice'].map(isRun)).toEqual([true, true, true, false])
})
