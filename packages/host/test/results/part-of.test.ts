import { describe, expect, it } from 'vitest'
import { boundResult, cutTo } from '../../src/results/bound-result.ts'
import { partOf } from '../../src/results/part-of.ts'

const page = (text: string, offset: number, maxBytes: number) => partOf(text, { kind: 'page', offset }, maxBytes)
const at = (text: string, pointer: string, maxBytes = 1_000) => partOf(text, { kind: 'value', pointer }, maxBytes)

describe('a text that is cut', () => {
  it('ends with a whole character, whatever the bound', () => {
    const text = 'aé漢😀z'
    for (let bytes = 0; bytes <= Buffer.byteLength(text) + 1; bytes++) {
      const cut = cutTo(text, bytes)
      expect(text.startsWith(cut)).toBe(true)
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(bytes)
      expect(cut.isWellFormed()).toBe(true)
    }
  })

  it('counts all text blocks together and lets the others pass', () => {
    const image = { type: 'image', data: 'A'.repeat(5_000), mimeType: 'image/png' } as const
    const content = [{ type: 'text', text: 'a'.repeat(60) }, image, { type: 'text', text: 'b'.repeat(60) }] as const
    expect(boundResult(content, 120)).toEqual({ content })
    const { content: kept, whole } = boundResult(content, 80)
    expect(kept).toEqual([content[0], image, { type: 'text', text: 'b'.repeat(20) }])
    expect(whole).toBe(`${'a'.repeat(60)}\n${'b'.repeat(60)}`)
    expect(boundResult(content, 0).content).toEqual([image])
  })
})

describe('a page of a text', () => {
  it('follows on the one before it, and all of them are the text', () => {
    const text = `${'ä'.repeat(50)}😀${'b'.repeat(50)}`
    let read = ''
    while (read.length < text.length) read += page(text, read.length, 17).text
    expect(read).toBe(text)
  })

  it('begins with the whole character into which its offset points, and says where it ends', () => {
    expect(page('a😀b', 2, 100).text).toBe('😀b')
    expect(page('abc', 1, 1).note).toBe('Characters 1 to 2 of 3; the next page begins at offset 2.')
    expect(page('abc', 9, 10)).toEqual({ text: '', note: 'Characters 9 to 9 of 3; this is the end.' })
  })
})

describe('what is looked for in a text', () => {
  it('is found with its neighbours and its number', () => {
    const { text, note } = partOf('one\ntwo\nthree\nfour\nfive', { kind: 'lines', find: 'THREE' }, 1_000)
    expect(text).toBe('2- two\n3: three\n4- four')
    expect(note).toBe('1 of 5 lines hold "THREE".')
  })

  it('may be a value of JSON, and what is not there says what is', () => {
    const json = JSON.stringify({ items: [{ 'a/b': 1 }, { name: 'x' }], 'm~n': true })
    expect(at(json, '/items/1/name').text).toBe('"x"')
    expect(at(json, '/items/0/a~1b').text).toBe('1')
    expect(at(json, '/m~0n').text).toBe('true')
    expect(at(json, '').text).toBe(json)
    expect(at(json, '/items/7').note).toContain('a list of 2')
    expect(at(json, '/constructor').note).toContain('an object with items, m~n')
    expect(at(json, 'items').note).toContain('begins with "/"')
    expect(at('no json', '/a').note).toContain('no JSON')
    expect(at(json, '/items', 10)).toMatchObject({ text: '[{"a/b":1}', note: expect.stringContaining('a list of 2') })
  })
})
