import { describe, expect, it } from 'vitest'
import { AttachedSessions } from '../../src/pool/attached-sessions.ts'
import type { CallingSession } from '../../src/pool/calling-session.ts'
import { LogLevels } from '../../src/pool/log-levels.ts'

const levels = new LogLevels(() => {})

function session(id: string, principal = id): CallingSession & { readonly end: () => void } {
  const ended = new AbortController()
  const caller = { capabilities: {}, notify() {} }
  return { id, principal, caller, ended: ended.signal, end: () => ended.abort() }
}

describe('who has used a connection', () => {
  it('listens alone, until somebody else comes', () => {
    const attached = new AttachedSessions()
    const [ann, bob] = [session('ann'), session('bob')]
    expect(attached.listener(levels)).toBe('nobody')
    attached.begin(ann)()
    expect(attached.listener(levels)).toBe(ann)
    expect(attached.only()).toBe(ann)
    const end = attached.begin(bob)
    expect(attached.listener(levels)).toBe('unclear')
    expect(attached.only()).toBeUndefined()
    bob.end()
    expect(attached.listener(levels)).toBe('unclear')
    end()
    // The server may still say something about what bob asked for.
    expect(attached.listener(levels)).toBe('unclear')
    attached.clear()
    attached.begin(ann)()
    expect(attached.listener(levels)).toBe(ann)
  })

  it('is remembered after its end, until the server is started anew', () => {
    const attached = new AttachedSessions()
    const [ann, bob] = [session('ann'), session('bob')]
    attached.begin(bob)()
    bob.end()
    attached.begin(ann)()
    expect(attached.listener(levels)).toBe('unclear')
    attached.clear()
    attached.begin(ann)()
    expect(attached.listener(levels)).toBe(ann)
  })

  it('without a session is remembered as a principal', () => {
    const attached = new AttachedSessions()
    const ann = session('ann')
    attached.begin(ann)()
    attached.begin({ id: 'run 1', principal: 'ann' })()
    expect(attached.listener(levels)).toBe(ann)
    expect(attached.only()).toBeUndefined()
    attached.begin({ id: 'run 2', principal: 'bob' })()
    expect(attached.listener(levels)).toBe('unclear')
  })

  it('is one of several sessions: then the one that asked for a level listens', () => {
    const asked = new LogLevels(() => {})
    const attached = new AttachedSessions()
    const [one, two] = [session('one', 'ann'), session('two', 'ann')]
    for (const each of [one, two]) attached.begin(each)()
    expect(attached.listener(asked)).toBe('unclear')
    asked.set(two, 'info')
    expect(attached.listener(asked)).toBe(two)
    asked.set(one, 'info')
    expect(attached.listener(asked)).toBe('unclear')
    one.end()
    expect(attached.listener(asked)).toBe(two)
  })
})

describe('the level that is enough for everybody', () => {
  it('is told whenever it changes, and a message is for those who asked for it', () => {
    const told: string[] = []
    const asked = new LogLevels((lowest) => told.push(lowest))
    const [ann, bob] = [session('ann'), session('bob')]
    asked.set(ann, 'error')
    asked.set(bob, 'debug')
    asked.set(ann, 'warning')
    bob.end()
    ann.end()
    expect(told).toEqual(['error', 'debug', 'warning'])
    expect(asked.isEmpty).toBe(true)
    const cat = session('cat')
    asked.set(cat, 'warning')
    expect(['debug', 'warning', 'emergency', 'unheard of'].map((level) => asked.isFor(cat, level))).toEqual([
      false,
      true,
      true,
      true,
    ])
    expect(asked.isFor(ann, 'debug')).toBe(true)
  })
})
