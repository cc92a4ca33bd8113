import { describe, expect, it } from 'vitest'
import { proposedRead } from '../src/proposed-read.ts'

describe('a proposal that a tool only reads', () => {
  it.each([
    ['query-docs', true],
    ['getUser', true],
    ['list_files', true],
    ['delete_file', false],
    ['createIssue', false],
    ['bulk-update', false],
    ['updated_since', true],
  ])('R-SEC-19 takes the hint of %s for what its name allows: %s', (name, expected) => {
    expect(proposedRead({ name, readOnlyHint: true })).toBe(expected)
  })

  it('needs the hint', () => {
    expect(proposedRead({ name: 'list_files' })).toBe(false)
    expect(proposedRead({ name: 'list_files', readOnlyHint: false })).toBe(false)
  })
})
