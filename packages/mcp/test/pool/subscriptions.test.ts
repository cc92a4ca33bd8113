import { describe, expect, it } from 'vitest'
import type { CallingSession } from '../../src/pool/calling-session.ts'
import { type SendSubscription, Subscriptions } from '../../src/pool/subscriptions.ts'

function session(id: string): CallingSession & { readonly end: () => void } {
  const ended = new AbortController()
  return { id, principal: id, ended: ended.signal, end: () => ended.abort() }
}

function sender(
  sent: string[],
  answer: Awaited<ReturnType<SendSubscription>> = { ok: true, result: {} },
): SendSubscription {
  return async (method, { uri }) => {
    sent.push(`${method.split('/')[1]} ${uri}`)
    return answer
  }
}

describe('subscriptions', () => {
  it('are sent for the first and taken back for the last of those who share them', async () => {
    const sent: string[] = []
    const subscriptions = new Subscriptions(sender(sent))
    const [a, b] = [session('a'), session('b')]
    await Promise.all([a, b, a].map((each) => subscriptions.add('x:1', each, sender(sent))))
    await subscriptions.remove('x:1', a, sender(sent))
    await subscriptions.remove('x:1', a, sender(sent))
    expect(subscriptions.subscribersOf('x:1').map(({ id }) => id)).toEqual(['b'])
    b.end()
    expect(subscriptions.isEmpty).toBe(true)
    expect(sent).toEqual(['subscribe x:1', 'unsubscribe x:1'])
  })

  it('that the server refuses are none, for everybody who waited for the answer', async () => {
    const sent: string[] = []
    const refusing = sender(sent, { ok: false, error: { code: -32_602, message: 'no such resource' } })
    const subscriptions = new Subscriptions(sender(sent))
    const answers = await Promise.all(['a', 'b'].map((id) => subscriptions.add('x:1', session(id), refusing)))
    expect(answers.map(({ ok }) => ok)).toEqual([false, false])
    expect(subscriptions.isEmpty).toBe(true)
    const lost = subscriptions.add('x:1', session('a'), () => Promise.reject(new Error('gone')))
    await expect(lost).rejects.toThrow('gone')
    expect(subscriptions.isEmpty).toBe(true)
  })

  it('of a session that is over already last no longer than its request', async () => {
    const sent: string[] = []
    const subscriptions = new Subscriptions(sender(sent))
    const gone = session('a')
    gone.end()
    await subscriptions.add('x:1', gone, sender(sent))
    expect(subscriptions.isEmpty).toBe(true)
    expect(sent).toEqual(['subscribe x:1', 'unsubscribe x:1'])
  })

  it('to a folder hear of its parts, and of nothing that only begins alike', async () => {
    const subscriptions = new Subscriptions(sender([]))
    await subscriptions.add('file:///a', session('a'), sender([]))
    const heard = (uri: string) => subscriptions.subscribersOf(uri).length
    expect([heard('file:///a'), heard('file:///a/b'), heard('file:///ab'), heard('file:///')]).toEqual([1, 1, 0, 0])
  })
})
