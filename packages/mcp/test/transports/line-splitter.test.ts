import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineSplitter } from '../../src/transports/line-splitter.ts'

function split(chunks: readonly Uint8Array[], maxBytes = 1_000) {
  const lines: string[] = []
  const overflows: true[] = []
  const onLine = (line: string) => void lines.push(line)
  const splitter = new LineSplitter({ maxBytes, onLine, onOverflow: () => void overflows.push(true) })
  for (const chunk of chunks) splitter.push(Buffer.from(chunk))
  return { lines, overflows: overflows.length }
}

describe('LineSplitter', () => {
  it('gives the same lines however the bytes are cut', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, '')))
    fc.assert(
      fc.property(texts, fc.array(fc.nat({ max: 60 })), fc.constantFrom('\n', '\r\n'), (wanted, cuts, end) => {
        const bytes = Buffer.from(wanted.map((line) => line + end).join(''))
        const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
        const chunks = at.slice(1).map((to, index) => bytes.subarray(at[index], to))
        expect(split(chunks).lines).toEqual(wanted)
      }),
    )
  })

  it('stops for good at a line that is too long, whether or not it ends', () => {
    const long = Buffer.from('x'.repeat(11))
    expect(split([Buffer.from('ok\n'), long, long, Buffer.from('\nlate\n')], 10)).toEqual({
      lines: ['ok'],
      overflows: 1,
    })
  })
})
