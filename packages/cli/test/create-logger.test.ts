import { describe, expect, it } from 'vitest'
import { createLogger } from '../src/create-logger.ts'

function logged(options: { readonly level: 'silent' | 'warn' | 'info'; readonly isTerminal: boolean }) {
  const lines: string[] = []
  return { lines, logger: createLogger({ ...options, write: (text) => void lines.push(text) }) }
}

describe('the log', () => {
  it('R-SEC-29 has one line a fact and no raw control character, whatever a server says', () => {
    for (const isTerminal of [true, false]) {
      const { lines, logger } = logged({ level: 'info', isTerminal })
      const hostile = '\u001b[2Ja\r\nFAKE 12:00:00 error\u202e'
      logger.info(hostile, { provider: hostile, error: new TypeError(hostile), nested: { text: hostile } })
      expect(lines).toHaveLength(1)
      expect(lines[0]?.slice(0, -1)).not.toMatch(/[\p{Cc}\u202e]/u)
    }
  })

  it('redacts what looks like a secret', () => {
    const { lines, logger } = logged({ level: 'info', isTerminal: false })
    const token = `ghp_${'a1B2'.repeat(9)}`
    logger.warn(`token ${token}`, { cause: new TypeError(token) })
    expect(lines[0]).not.toContain(token)
  })

  it('says what its level allows', () => {
    const { lines, logger } = logged({ level: 'warn', isTerminal: true })
    logger.info('not this')
    logger.warn('this', { plugin: 'demo' })
    expect(lines).toEqual([expect.stringMatching(/^\d\d:\d\d:\d\d warn {2}this plugin=demo\n$/)])
    const silent = logged({ level: 'silent', isTerminal: true })
    silent.logger.error('nothing')
    expect(silent.lines).toEqual([])
  })
})
