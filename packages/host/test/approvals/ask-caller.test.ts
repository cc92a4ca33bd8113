import type { JsonObject } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { localClient, localUser } from '../../src/gate/local-user.ts'
import type { Profile } from '../../src/gate/profile.ts'
import type { CallerPort } from '../../src/providers/provider.ts'
import { eventsOf, hostWith, waitingFor } from '../invoke/host-with.ts'
import { writingTool } from '../plugins-in-code.ts'

type Reply = (message: string, signal: AbortSignal) => JsonObject | Promise<JsonObject>

/** A person behind a client, who is asked by a form. */
function personWith(reply: Reply) {
  const asked: JsonObject[] = []
  const caller: CallerPort = {
    capabilities: { elicitation: {} },
    async elicit(params, signal) {
      asked.push(params)
      return await reply(String(params.message), signal)
    },
  }
  return { caller, asked }
}

const codeIn = (message: string) => /code is ([A-Z2-9]{4})\./.exec(message)?.[1] ?? ''
const typesCode: Reply = (message) => ({ action: 'accept', content: { code: codeIn(message).toLowerCase() } })
const staysOpen: Reply = (_message, signal) =>
  new Promise((_settle, fail) => signal.addEventListener('abort', () => fail(new Error('cancelled'))))

async function teamHost(profile: Partial<Profile> = {}) {
  const log: string[] = []
  const opened = await hostWith([writingTool('write', log)], {
    profiles: [
      {
        name: 'team',
        zone: 'local',
        approvals: { channels: ['cli', 'elicitation'], clients: ['editor'] },
        ...profile,
      },
    ],
  })
  const client = { session: 's1', name: 'editor' }
  const call = async (
    { caller }: Pick<ReturnType<typeof personWith>, 'caller'>,
    change: { readonly text?: string; readonly name?: string; readonly timeoutMs?: number } = {},
  ) => {
    const { text = 'one', name = 'editor', timeoutMs = 200 } = change
    const who = { principal: localClient, profile: 'team', client: { ...client, name }, caller }
    const { ref } = await waitingFor(opened.host, text, who)
    return await opened.host.tools.wait(ref, { ...who, timeoutMs })
  }
  return { ...opened, log, call }
}

describe('a call put before the person behind a client', () => {
  it('R-GOV-45 runs once when the code on its card is typed, and is recorded as that person’s own yes', async () => {
    await using app = await teamHost()
    const person = personWith(typesCode)
    const outcome = await app.call(person, { timeoutMs: 5_000 })
    expect(outcome).toMatchObject({ status: 'ok', text: 'wrote one' })
    expect(app.log).toEqual(['one'])
    expect(person.asked).toHaveLength(1)
    expect(String(person.asked[0]?.message)).toContain('    text: "one"')
    expect(await eventsOf(app.store, outcome)).toContainEqual(
      expect.objectContaining({ type: 'call.answered', channel: 'elicitation', answer: 'approved', self: true }),
    )
  })

  it('R-GOV-45 is refused when the person declines', async () => {
    await using app = await teamHost()
    const outcome = await app.call(
      personWith(() => ({ action: 'decline' })),
      { timeoutMs: 5_000 },
    )
    expect(outcome).toMatchObject({ status: 'denied', code: 'APPROVAL_DENIED' })
    expect(app.log).toEqual([])
  })

  it.each<[string, Reply]>([
    ['accepts whatever it is asked', () => ({ action: 'accept', content: {} })],
    ['fills in anything', () => ({ action: 'accept', content: { code: 'yes', approve: true } })],
    ['types another code', () => ({ action: 'accept', content: { code: 'AAAA' } })],
    ['gives no content', () => ({ action: 'accept' })],
    ['leaves the form', () => ({ action: 'cancel' })],
    ['answers nonsense', () => ({ ok: true })],
    ['fails', () => Promise.reject(new Error('no'))],
  ])('R-SEC-09 leaves it waiting where the client %s', async (_what, reply) => {
    await using app = await teamHost()
    const person = personWith(reply)
    expect(await app.call(person)).toMatchObject({ status: 'waiting' })
    expect(person.asked).toHaveLength(1)
    expect(app.log).toEqual([])
  })

  it('R-SEC-09 asks no client that the operator did not name, and none without that channel', async () => {
    await using app = await teamHost()
    const person = personWith(typesCode)
    expect(await app.call(person, { name: 'other' })).toMatchObject({ status: 'waiting' })
    await using usual = await teamHost({ approvals: {} })
    expect(await usual.call(person)).toMatchObject({ status: 'waiting' })
    expect(person.asked).toEqual([])
  })

  it('R-SEC-24 asks nobody to approve an own call under four eyes', async () => {
    await using app = await teamHost({ fourEyes: true })
    const person = personWith(typesCode)
    expect(await app.call(person)).toMatchObject({ status: 'waiting' })
    expect(person.asked).toEqual([])
  })

  it('R-SEC-11 puts no card there that is too long to be seen whole', async () => {
    await using app = await teamHost()
    const person = personWith(typesCode)
    expect(await app.call(person, { text: 'x'.repeat(5_000) })).toMatchObject({ status: 'waiting' })
    expect(person.asked).toEqual([])
  })

  it('R-GOV-45 shows no secret in a card that leaves the machine', async () => {
    await using app = await teamHost()
    const token = `ghp_${'a1B2'.repeat(9)}`
    const person = personWith(() => ({ action: 'cancel' }))
    await app.call(person, { text: token })
    expect(JSON.stringify(person.asked)).not.toContain(token)
    expect(JSON.stringify(person.asked)).toContain('[redacted:')
  })

  it('R-GOV-45 ends the question when it is decided elsewhere, and waits as long as it is open', async () => {
    await using app = await teamHost()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const person = personWith((message, signal) => {
      signal.addEventListener('abort', () => resolve())
      return staysOpen(message, signal)
    })
    const outcome = app.call(person, { timeoutMs: 50 })
    await expect.poll(() => person.asked.length).toBe(1)
    await new Promise((settle) => setTimeout(settle, 300))
    const [approval] = await app.host.tools.pending(localUser)
    if (approval === undefined) throw new TypeError('nothing waits')
    const { pending } = approval
    await app.host.tools.answer(pending, { kind: 'approval', approved: true, binds: pending.binds }, localUser, 'cli')
    expect(await outcome).toMatchObject({ status: 'ok' })
    await ended
    expect(app.log).toEqual(['one'])
  })

  it('R-GOV-45 withdraws the call when the client gives it up', async () => {
    await using app = await teamHost()
    const person = personWith(staysOpen)
    const gone = new AbortController()
    const who = {
      principal: localClient,
      profile: 'team',
      client: { session: 's1', name: 'editor' },
      caller: person.caller,
      signal: gone.signal,
    }
    const { ref } = await waitingFor(app.host, 'one', who)
    const outcome = app.host.tools.wait(ref, { ...who, timeoutMs: 5_000 })
    await expect.poll(() => person.asked.length).toBe(1)
    gone.abort()
    expect(await outcome).toMatchObject({ status: 'cancelled' })
    expect(await app.host.tools.pending(localUser)).toEqual([])
  })

  it('R-SEC-09 shows a call to nobody but whoever made it', async () => {
    await using app = await teamHost()
    const person = personWith(typesCode)
    const who = { principal: localClient, profile: 'team', client: { session: 's1', name: 'editor' } }
    const { ref } = await waitingFor(app.host, 'one', who)
    const stranger = { ...localClient, id: 'key:stranger', person: 'eve' }
    await app.host.tools.wait(ref, { ...who, principal: stranger, caller: person.caller, timeoutMs: 100 })
    expect(person.asked).toEqual([])
    expect(app.log).toEqual([])
  })
})
