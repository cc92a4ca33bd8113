import { describe, expect, it } from 'vitest'
import { effectiveConfig } from '../src/effective-config.ts'

describe('the effective configuration', () => {
  it('shows a secret by its source and never by its value', () => {
    const canary = 'hunter2-canary'
    const shown = JSON.stringify(
      effectiveConfig({
        config: {
          providers: {
            a: {
              command: 'node',
              env: { TOKEN: canary, OTHER: { env: 'NAME' }, FILE: '${ROLLCALL_STATE_DIR}/m.jsonl' },
            },
            b: { url: 'https://b.test/mcp', headers: { 'x-key': canary, 'x-var': '${B_KEY}' } },
            c: { url: 'https://c.test/mcp', auth: { bearer: { command: ['pass', 'c'] } } },
          },
        },
      }),
    )
    expect(shown).not.toContain(canary)
    expect(shown).toContain('"OTHER":{"env":"NAME"}')
    expect(shown).toContain('${ROLLCALL_STATE_DIR}/m.jsonl')
    expect(shown).toContain('${B_KEY}')
    expect(shown).toContain('"command":["pass","c"]')
  })

  it('shows no secret that stands in the options of a plugin or in an address', () => {
    const shown = JSON.stringify(
      effectiveConfig({
        config: {
          plugins: [{ plugin: './a', options: { apiKey: 'CANARY', db: { password: 'CANARY', user: 'jo' } } }],
          store: 'postgres://jo:p@CANARY@db.test/x',
          secrets: { allow: ['NAME_OF_ONE'] },
        } as never,
      }),
    )
    expect(shown).not.toContain('CANARY')
    for (const kept of ['NAME_OF_ONE', '"user":"jo"', '@db.test/x']) expect(shown).toContain(kept)
  })

  it('has the defaults in it', () => {
    expect(effectiveConfig({ config: { http: { port: 1 } } })).toMatchObject({
      http: { host: '127.0.0.1', port: 1, keyless: [] },
      profiles: { direct: { zone: 'local' }, default: { zone: 'externalGlobal' } },
    })
  })
})
