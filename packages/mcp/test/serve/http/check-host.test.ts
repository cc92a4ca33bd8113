import { describe, expect, it } from 'vitest'
import { foreignHeader } from '../../../src/serve/http/check-host.ts'

const allowed = new Set(['tools.example.org', 'gate.example.org:8443'])
const check = (headers: Record<string, string>) => foreignHeader(new Headers(headers), allowed)

describe('foreignHeader', () => {
  it.each([
    { host: '127.0.0.1:4321' },
    { host: 'localhost' },
    { host: '[::1]:1' },
    { host: '[::ffff:127.0.0.1]:1' },
    { host: 'Tools.example.org' },
    { host: 'tools.example.org:9000' },
    { host: 'gate.example.org:8443' },
    { host: 'localhost:1', origin: 'http://localhost:3000' },
    { host: 'localhost:1', origin: 'http://[::1]:3000' },
    { host: 'localhost:1', origin: 'https://tools.example.org' },
  ])('lets through %j', (headers) => {
    expect(check(headers)).toBeUndefined()
  })

  it.each([
    [{}, 'host'],
    [{ host: 'evil.example.org' }, 'host'],
    [{ host: 'gate.example.org:1' }, 'host'],
    [{ host: 'localhost:4321@evil.example.org' }, 'host'],
    [{ host: '127.0.0.1.evil.example.org' }, 'host'],
    [{ host: '[::1' }, 'host'],
    [{ host: 'localhost', origin: 'https://evil.example.org' }, 'origin'],
    [{ host: 'localhost', origin: 'null' }, 'origin'],
    [{ host: 'localhost', origin: 'file://localhost' }, 'origin'],
    [{ host: 'localhost', origin: 'http://localhost.evil.example.org' }, 'origin'],
  ] as const)('stops %j by its %s', (headers, by) => {
    expect(check(headers)).toBe(by)
  })
})
