import { expandVariables } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { expandJson } from '../../src/config/expand-json.ts'
import { caught } from './caught.ts'

const variables: Readonly<Record<string, string>> = { A: 'one', B: '${A}', EMPTY: '', $: 'no' }
const lookup = (name: string) => variables[name]

describe('expandVariables', () => {
  it.each([
    ['', ''],
    ['no variable, $A, {A}, $', 'no variable, $A, {A}, $'],
    ['${A}', 'one'],
    ['x${A}y${A}z', 'xoneyonez'],
    ['${B}', '${A}'],
    ['${UNSET:-two}', 'two'],
    ['${UNSET:-}', ''],
    ['${UNSET:-${A}', '${A'],
    ['${A:-two}', 'one'],
    ['${EMPTY}', ''],
    ['${EMPTY:-two}', 'two'],
    ['${UNSET:-a:-b}', 'a:-b'],
    ['${UNSET:-two\nlines}', 'two\nlines'],
    ['$${A}', '${A}'],
    ['$$${A}', '$${A}'],
    ['$$ and $${A} and ${A}', '$$ and ${A} and one'],
  ])('makes %j into %j', (text, expanded) => {
    expect(expandVariables(text, lookup)).toBe(expanded)
  })

  it('names a variable that is unset', async () => {
    const error = await caught(() => expandVariables('secret-part ${UNSET}', lookup))
    expect(error.code).toBe('VARIABLE_MISSING')
    expect(error.message).toContain('UNSET')
    expect(error.message).not.toContain('secret-part')
    expect(error.hint).toContain('${UNSET:-default}')
  })

  it.each(['${', '${A', '${}', '${ A}', '${A-b}', '${1A}', '${:-x}'])(
    'refuses %j, which names no variable',
    async (text) => {
      const error = await caught(() => expandVariables(`${text}`, lookup))
      expect(error.code).toBe('VARIABLE_MISSING')
      expect(error.hint).toContain('"$${"')
    },
  )

  it('takes replacement patterns in a value as they are', () => {
    expect(expandVariables('[${A}]', () => "$& $1 $$ $'")).toBe("[$& $1 $$ $']")
  })
})

describe('expandJson', () => {
  it('expands every string and no key', () => {
    const value = { '${A}': ['${A}', { deep: 'x${A}' }], n: 1, yes: true, nothing: null }
    expect(expandJson(value, lookup)).toEqual({ '${A}': ['one', { deep: 'xone' }], n: 1, yes: true, nothing: null })
    expect(value['${A}'][0]).toBe('${A}')
  })

  it('fails for a variable anywhere inside', async () => {
    expect((await caught(() => expandJson([[{ a: '${UNSET}' }]], lookup))).message).toContain('UNSET')
  })
})
