import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { listFiles } from './list-files.ts'
import { requirements } from './requirements.ts'

const cited = new Set<string>()
for (const file of await listFiles(/\.test\.ts$/)) {
  if (file.endsWith('test/requirements.test.ts')) continue
  for (const [id] of (await readFile(file, 'utf8')).matchAll(/R-(?:DISC|SEC|GOV|RUN)-\d\d/g)) cited.add(id)
}

it('every requirement that is claimed as built is cited by a test', () => {
  const claimed = requirements.filter(({ state }) => state !== 'open').map(({ id }) => id)
  expect(claimed.filter((id) => !cited.has(id))).toEqual([])
})

it('every id that a test cites is a requirement', () => {
  const known = new Set<string>(requirements.map(({ id }) => id))
  expect([...cited].filter((id) => !known.has(id))).toEqual([])
})

it('ids are unique, and what is built in part says what is open', () => {
  expect(new Set(requirements.map(({ id }) => id)).size).toBe(requirements.length)
  expect(requirements.filter(({ state, open }) => state === 'partly' && open === undefined)).toEqual([])
})
