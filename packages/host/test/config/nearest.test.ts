import { expect, it } from 'vitest'
import { nearest } from '../../src/config/nearest.ts'

it.each([
  ['dataClas', ['effect', 'dataClass', 'zone'], 'dataClass'],
  ['dataclass', ['effect', 'dataClass'], 'dataClass'],
  ['evn', ['env', 'even'], 'env'],
  ['zoen', ['zone'], 'zone'],
  ['wether', ['weather', 'other'], 'weather'],
  ['x', ['y'], 'y'],
  ['xyzzy', ['plugins', 'store'], undefined],
  ['', ['store'], undefined],
  ['store', [], undefined],
  ['a'.repeat(5000), ['a'.repeat(4999)], undefined],
])('takes %s among %j for %s', (word, candidates, meant) => {
  expect(nearest(word, candidates)).toBe(meant)
})
