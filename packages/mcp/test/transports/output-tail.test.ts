import { describe, expect, it } from 'vitest'
import { OutputTail } from '../../src/transports/output-tail.ts'

describe('OutputTail', () => {
  it('keeps the newest bytes, whatever the sizes of the pieces', () => {
    const tail = new OutputTail({ maxBytes: 20, secrets: [] })
    for (const piece of ['first line\n', 'second ', 'line\nthird ', 'one']) tail.push(Buffer.from(piece))
    expect(tail.read()).toBe('line\nthird one')
    tail.push(Buffer.from(`${'y'.repeat(100)} end`))
    expect(tail.read()).toBe('end')
  })

  it('does not show the rest of a secret that was cut at the front', () => {
    const tail = new OutputTail({ maxBytes: 16, secrets: ['hunter2-canary'] })
    tail.push(Buffer.from('key hunter2-canary is wrong'))
    expect(tail.read()).toBe('is wrong')
  })

  it('shows control characters as escapes', () => {
    const tail = new OutputTail({ maxBytes: 100, secrets: [] })
    tail.push(Buffer.from('\x1b[31mred\x07'))
    expect(tail.read()).not.toContain('\x1b')
    expect(tail.read()).toContain('red')
  })
})
