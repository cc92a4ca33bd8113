import { describe, expect, it } from 'vitest'
import { openEventStream } from '../../../src/serve/http/event-stream.ts'

describe('openEventStream', () => {
  it('R-SEC-21 does not keep what a client never reads', async () => {
    let gone = 0
    const stream = openEventStream(() => {
      gone += 1
    })
    const megabyte = 'x'.repeat(1_000_000)
    for (let index = 0; index < 40; index += 1) stream.write({ data: JSON.stringify({ index, megabyte }) })
    expect(gone).toBe(1)
    const text = await new Response(stream.body).text()
    // What was kept is whole and in order; the client learns by the end of the stream that it missed something.
    expect(text.length).toBeLessThan(18_000_000)
    expect(text).toMatch(/^event: message\ndata: {"index":0,/)
  })

  it('passes one message that is larger than all that may lie', async () => {
    const stream = openEventStream(() => {})
    stream.write({ data: 'x'.repeat(20_000_000) })
    stream.close()
    expect((await new Response(stream.body).text()).length).toBeGreaterThan(20_000_000)
  })

  it('takes writing and closing after its end', async () => {
    let gone = 0
    const stream = openEventStream(() => {
      gone += 1
    })
    await stream.body.cancel()
    stream.write({ data: '{}' })
    stream.close()
    expect(gone).toBe(1)
  })
})
