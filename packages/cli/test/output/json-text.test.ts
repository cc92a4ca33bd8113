import { expect, it } from 'vitest'
import { jsonText } from '../../src/output/json-text.ts'

it('R-SEC-29 holds the same data and no byte that drives a terminal or hides', () => {
  const value = { 'a\u009b31m': ['\u001b[2J', '\u202eevil', '\u{E0041}', '\u2028', '\u007f', 'zażółć 👍'] }
  const text = jsonText(value)
  expect(JSON.parse(text)).toEqual(value)
  expect(text).not.toMatch(/[^\n\P{Cc}]|[\u2028\p{Cf}]/u)
  expect(text).toContain('zażółć 👍')
})
