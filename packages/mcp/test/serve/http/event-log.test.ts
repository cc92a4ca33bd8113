import { describe, expect, it } from 'vitest'
import { createEventLog } from '../../../src/serve/http/event-log.ts'

describe('createEventLog', () => {
  it('tells streams apart', () => {
    const log = createEventLog()
    const [one, two] = [log.open(), log.open()]
    const start = one.firstId()
    two.add('two')
    const event = one.add('one')
    expect(log.after(start)).toMatchObject({ stream: one.stream, missed: [{ data: 'one' }] })
    expect(log.after(event.id)?.missed).toEqual([])
  })

  it('keeps the latest events only, and says where something is lost', () => {
    const log = createEventLog()
    const [one, quiet] = [log.open(), log.open()]
    const start = one.firstId()
    const quietStart = quiet.firstId()
    quiet.add('q')
    let last = start
    for (let index = 0; index < 600; index += 1) last = one.add(String(index)).id
    expect(log.after(start)).toBeUndefined()
    expect(log.after(quietStart)).toBeUndefined()
    expect(log.after(last)?.missed).toEqual([])
  })

  it('keeps the latest event whatever its size, and not much besides', () => {
    const log = createEventLog()
    const one = log.open()
    const before = one.add('small').id
    one.add('x'.repeat(1_500_000))
    const large = one.add('y'.repeat(5_000_000))
    expect(log.after(before)).toBeUndefined()
    expect(log.after(large.id)?.missed).toEqual([])
    expect(log.after(`${one.stream}_2`)?.missed).toHaveLength(1)
  })
})
