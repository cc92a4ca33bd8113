import { defineTool } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { localUser } from '../../src/gate/local-user.ts'
import { createResultBook } from '../../src/results/result-book.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { hostWith } from '../invoke/host-with.ts'

const dayMs = 24 * 60 * 60_000

function bookOf() {
  const clock = createManualClock()
  const store = createMemoryStore({ clock })
  return { clock, store, book: createResultBook({ store, clock }) }
}

describe('whole results', () => {
  it('R-GOV-52 are kept for seven days, and then nothing of them is left', async () => {
    const { book, clock, store } = bookOf()
    await book.keep('a long text', { principal: 'jo', callId: '1', tool: 'notes__read' })
    expect(await book.find('1', 'jo')).toEqual({ text: 'a long text', tool: 'notes__read' })
    expect(await book.find('1', 'ann')).toBeUndefined()
    await clock.advance(7 * dayMs)
    expect(await book.find('1', 'jo')).toBeUndefined()
    const digest = await book.keep('another', { principal: 'jo', callId: '2', tool: 'notes__read' })
    expect((await store.settings.list('result/')).map(([key]) => key)).toEqual(['result/2'])
    expect(await store.blobs.get(digest, { principal: 'jo' })).toBeDefined()
  })

  it('R-GOV-52 of one principal take at most 100 MB: the oldest make room, and nobody else’s', async () => {
    const { book, clock } = bookOf()
    const text = 'x'.repeat(40_000_000)
    await book.keep('small', { principal: 'ann', callId: 'other', tool: 't' })
    for (const callId of ['1', '2', '3']) {
      await clock.advance(1)
      await book.keep(text, { principal: 'jo', callId, tool: 't' })
    }
    expect(await book.find('1', 'jo')).toBeUndefined()
    expect(await book.find('2', 'jo')).toBeDefined()
    expect(await book.find('3', 'jo')).toBeDefined()
    expect(await book.find('other', 'ann')).toBeDefined()
  })
})

describe('a secret in a long result', () => {
  const token = `ghp_${'a1B2c3D4e5'.repeat(3)}aBcDeF`
  const say = (text: string) =>
    defineTool({
      name: 'say',
      description: 'Says it.',
      effect: 'read',
      dataClass: 'publicContent',
      execute: () => text,
    })

  it('R-SEC-13 R-GOV-53 is taken out of the whole, wherever the bound or a page cuts', async () => {
    for (let before = 0; before <= 100; before += 4) {
      await using app = await hostWith([say(`${'x'.repeat(before)} ${token} ${'y'.repeat(200)}`)])
      const who = { principal: localUser, resultBytes: 60 }
      const outcome = await app.host.tools.call('app__say', {}, who)
      const handle = /"handle":"([^"]+)"/.exec(outcome.text)?.[1]
      const shown = [outcome.text.replace(handle ?? '', '')]
      for (let offset = 0; offset < 240; offset += 40) {
        shown.push((await app.host.tools.call('rollcall__read_result', { handle, offset }, who)).text)
      }
      for (let from = 0; from + 12 <= token.length; from++)
        expect(shown.join('\n')).not.toContain(token.slice(from, from + 12))
    }
  })

  it('R-GOV-53 is taken out of structured content, and of what the library gets', async () => {
    const tool = defineTool({
      name: 'say',
      description: 'Says it.',
      effect: 'read',
      dataClass: 'publicContent',
      execute: () => ({ structured: { nested: [{ token }], id: '0191f7d4-1111-7abc-8def-0123456789ab' } }),
    })
    await using app = await hostWith([tool])
    const outcome = await app.host.tools.call('app__say', {}, { principal: localUser })
    expect(JSON.stringify(outcome)).not.toContain(token)
    expect(outcome).toMatchObject({
      structured: {
        nested: [{ token: expect.stringMatching(/^\[redacted:/) }],
        id: '0191f7d4-1111-7abc-8def-0123456789ab',
      },
    })
  })
})
