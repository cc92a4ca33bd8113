import { describe, expect, it } from 'vitest'
import { configuredClaims, unclaimedWords } from '../../src/discovery/configured-claims.ts'
import { takeRoll } from '../../src/discovery/take-roll.ts'
import { makeClaim } from './make-claim.ts'

const empty = { host: [], configured: [], announced: [], legacy: [], superseded: [] }
const server = { command: 'node', args: ['server.mjs'] }

describe('configuredClaims', () => {
  it('makes a claim of every entry with a server, before all plugins and in the order of the file', () => {
    const { claims } = configuredClaims({
      memory: { server, preset: 'memory' },
      notes: { dataClass: 'editorContent' },
      docs: { server: { url: 'https://127.0.0.1/mcp' } },
    })
    expect(claims).toEqual([
      {
        appId: 'memory',
        plugin: 'configuration',
        version: '',
        source: 'configured',
        order: -3,
        provider: { kind: 'mcp', appId: 'memory', server },
        from: 'providers.memory',
      },
      expect.objectContaining({ appId: 'docs', order: -1, from: 'providers.docs' }),
    ])
  })

  it('keeps the words of every entry apart from its server and pin', () => {
    const { wordsFor, pinFor } = configuredClaims({
      Memory: { server, pin: 'manual', preset: 'memory' },
      notes: { dataClass: 'editorContent', tools: { list: { off: true } } },
    })
    expect([...wordsFor]).toEqual([
      ['memory', { preset: 'memory' }],
      ['notes', { dataClass: 'editorContent', tools: { list: { off: true } } }],
    ])
    expect([...pinFor]).toEqual([['memory', 'manual']])
  })

  it('makes nothing of no providers', () => {
    expect(configuredClaims(undefined)).toEqual({ claims: [], wordsFor: new Map(), pinFor: new Map() })
  })

  it('refuses all keys at once that are no appId or that meet in one', () => {
    expect(() => configuredClaims({ 'my app': {}, notes: {}, Notes: {}, '9': {} })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message:
          'providers["9"] is no appId; providers["my app"] is no appId; providers.Notes and providers.notes are one appId.',
      }),
    )
  })
})

describe('unclaimedWords', () => {
  it('R-DISC-27 words about an appId that a plugin holds make no finding, whatever its source', () => {
    const { claims, wordsFor } = configuredClaims({ notes: { dataClass: 'editorContent' }, weather: { off: true } })
    const roll = takeRoll({
      ...empty,
      configured: claims,
      announced: [makeClaim({ appId: 'weather', source: 'announced' })],
      legacy: [makeClaim({ appId: 'notes', source: 'legacy' })],
    })
    expect(roll.losers).toEqual([])
    expect(roll.winners.map(({ appId, source }) => [appId, source])).toEqual([
      ['weather', 'announced'],
      ['notes', 'legacy'],
    ])
    expect(unclaimedWords(wordsFor, roll)).toEqual([])
  })

  it('R-DISC-27 words about an appId that nobody holds are a finding with the nearest one', () => {
    const { wordsFor } = configuredClaims({ wether: { off: true }, zzzzzzzzzzzz: {} })
    const roll = takeRoll({ ...empty, announced: [makeClaim({ appId: 'weather', source: 'announced' })] })
    expect(unclaimedWords(wordsFor, roll)).toMatchObject([
      {
        code: 'PROVIDER_UNKNOWN',
        severity: 'warn',
        about: { appId: 'wether' },
        message: 'providers.wether has words about an appId that nobody holds; did you mean "weather"?',
      },
      {
        about: { appId: 'zzzzzzzzzzzz' },
        message: 'providers.zzzzzzzzzzzz has words about an appId that nobody holds.',
      },
    ])
  })

  it('stays silent where another finding tells why nobody holds it', () => {
    const { claims, wordsFor } = configuredClaims({ rollcall: { server }, broken: { off: true } })
    const roll = takeRoll({ ...empty, configured: claims })
    expect(roll.losers).toHaveLength(1)
    expect(unclaimedWords(wordsFor, roll, new Set(['broken']))).toEqual([])
  })
})
