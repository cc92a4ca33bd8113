import { describe, expect, it } from 'vitest'
import { openEventStream } from '../../../src/serve/http/event-stream.ts'

describe('openEventStream', () => {
  it('R-SEC-21 does not keep what a client never reads', async () => {
    const stream = openEventStream(() => {})
    for (let index = 0; index < 5000; index += 1) stream.write({ data: JSON.stringify({ index }) })
    stream.close()
    const text = await new Response(stream.body).text()
    expect(text.match(/^data: /gm)?.length).toBeLessThan(1100)
    expect(text).toMatch(/^event: message\ndata: {"index":0}\n\n/)
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
