import { describe, expect, it } from 'vitest'
import { errorTable } from '../src/errors/error-table.ts'
import { isRollcallError, RollcallError } from '../src/errors/rollcall-error.ts'

// A second copy of the module, as a second installation of the package brings one.
const copyAddress = '../src/errors/rollcall-error.ts?copy'
const copy = (await import(copyAddress)) as typeof import('../src/errors/rollcall-error.ts')

describe('RollcallError', () => {
  it('carries a code, a hint, data and its cause', () => {
    const cause = new Error('root')
    const error = new RollcallError('BUSY', 'Too many.', { hint: 'Wait.', data: { waiting: 4 }, cause })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'RollcallError', code: 'BUSY', message: 'Too many.', hint: 'Wait.' })
    expect(error.data).toEqual({ waiting: 4 })
    expect(error.cause).toBe(cause)
  })

  it('has neither cause nor data where none is given', () => {
    const error = new RollcallError('BUSY', 'Too many.', { hint: 'Wait.' })
    expect('cause' in error).toBe(false)
    expect(error.data).toBeUndefined()
  })

  it('is told by its code', () => {
    const error: unknown = new RollcallError('BUSY', 'Too many.', { hint: 'Wait.' })
    expect(isRollcallError(error)).toBe(true)
    expect(isRollcallError(error, 'BUSY')).toBe(true)
    expect(isRollcallError(error, 'USAGE')).toBe(false)
  })

  it('is recognised across two copies of the package, in both directions', () => {
    expect(copy.RollcallError).not.toBe(RollcallError)
    const ours = new RollcallError('BUSY', 'Too many.', { hint: 'Wait.' })
    const theirs = new copy.RollcallError('USAGE', 'What?', { hint: 'Ask.' })
    expect(theirs).not.toBeInstanceOf(RollcallError)
    expect(isRollcallError(theirs, 'USAGE')).toBe(true)
    expect(copy.isRollcallError(ours, 'BUSY')).toBe(true)
  })

  it('takes nothing else for one, whatever it looks like', () => {
    const looksLike = Object.assign(new Error('x'), { name: 'RollcallError', code: 'BUSY', hint: 'x' })
    for (const value of [looksLike, { ...looksLike }, null, undefined, 'BUSY', () => 1])
      expect(isRollcallError(value)).toBe(false)
  })

  it('has a sentence of when and one of what to do for each code', () => {
    for (const [code, { when, fix }] of Object.entries(errorTable)) {
      expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/)
      expect(when, code).toMatch(/^[A-Z].*[.…]$/)
      expect(fix, code).toMatch(/^[A-Z].*\.$/)
    }
  })
})
