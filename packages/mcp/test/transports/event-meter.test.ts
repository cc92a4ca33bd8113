import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventMeter } from '../../src/transports/event-meter.ts'

function fed(...chunks: readonly string[]): EventMeter {
  const meter = new EventMeter()
  for (const chunk of chunks) meter.feed(Buffer.from(chunk))
  return meter
}

describe('EventMeter', () => {
  it.each([
    ['id: 7\ndata: x\n\n', '7'],
    ['id:7\r\ndata: x\r\n\r\n', '7'],
    ['id: 7\rdata: x\r\r', '7'],
    ['id: 7\n\nid: 8\n\ndata: x\n\n', '8'],
    ['id: ✓\n\n', '✓'],
    ['id:  7\n\n', ' 7'],
    ['data: id: 7\n\n', undefined],
    ['id: 7', undefined],
    ['id\n\n', undefined],
    ['id:\n\n', undefined],
    [`id: ${'7'.repeat(2_000)}\n\n`, undefined],
  ])('knows the last id of %j', (text, expected) => {
    expect(fed(text).lastId).toBe(expected)
  })

  it('counts the bytes of the event that has not ended', () => {
    expect(fed('data: one\n\n').bytes).toBe(0)
    expect(fed('data: one\n\ndata: ✓').bytes).toBe(9)
    expect(fed('data: one\ndata: two\n').bytes).toBe(20)
  })

  it('says the same however the stream is cut', () => {
    const piece = fc.constantFrom('id: 1', 'id: ✓', 'data: x', ': note', '\n', '\r\n', '\r', '\n\n', '\r\n\r\n')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.integer({ min: 1, max: 7 }), (pieces, size) => {
        const bytes = Buffer.from(pieces.join(''))
        const whole = new EventMeter()
        whole.feed(bytes)
        const cut = new EventMeter()
        for (let at = 0; at < bytes.length; at += size) cut.feed(bytes.subarray(at, at + size))
        expect([cut.bytes, cut.lastId]).toEqual([whole.bytes, whole.lastId])
      }),
    )
  })
})
