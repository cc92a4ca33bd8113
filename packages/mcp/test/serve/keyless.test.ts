import { localClient } from '@rollcall/host'
import { describe, expect, it } from 'vitest'
import { createKeylessAuthenticate } from '../../src/serve/keyless.ts'

interface Case {
  readonly boundTo?: string
  readonly remoteAddress?: string
  readonly publicUrl?: string
  readonly headers?: Record<string, string>
  readonly profile?: string
}

function authenticate({ boundTo = '127.0.0.1', remoteAddress = '127.0.0.1', profile = 'default', ...rest }: Case) {
  const keyless = createKeylessAuthenticate({
    boundTo,
    profiles: ['work'],
    principal: localClient,
    ...(rest.publicUrl !== undefined && { publicUrl: rest.publicUrl }),
  })
  return keyless({ headers: new Headers({ host: '127.0.0.1:4321', ...rest.headers }), remoteAddress, profile })
}

describe('createKeylessAuthenticate', () => {
  it.each<Case>([
    {},
    { boundTo: 'localhost' },
    { boundTo: '[::1]', remoteAddress: '::1', headers: { host: '[::1]:4321' } },
    { remoteAddress: '::ffff:127.0.0.1' },
    { boundTo: '127.1.2.3', remoteAddress: '127.9.9.9', headers: { host: 'LOCALHOST' } },
    { profile: 'work' },
  ])('lets a program of this machine in: %j', async (given) => {
    expect(await authenticate(given)).toEqual({ principal: localClient })
  })

  it.each<Case>([
    { boundTo: '0.0.0.0' },
    { boundTo: '::' },
    { boundTo: '192.168.1.5' },
    { remoteAddress: '192.168.1.5' },
    { remoteAddress: '::ffff:10.0.0.1' },
    { remoteAddress: '' },
    { headers: { host: 'rollcall.example.org' } },
    { headers: { host: '127.0.0.1.example.org' } },
    { headers: { host: 'localhost.example.org:4321' } },
    { headers: { host: '' } },
    { publicUrl: 'https://rollcall.example.org' },
    ...[
      'Forwarded',
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'X-Forwarded-Proto',
      'X-Real-IP',
      'Via',
      'CF-Connecting-IP',
      'CF-Ray',
      'True-Client-IP',
      'X-Client-IP',
    ].map((name) => ({ headers: { [name]: '127.0.0.1' } })),
  ])('R-SEC-08 knows nobody when one condition alone is violated: %j', async (given) => {
    expect(await authenticate(given)).toBeUndefined()
  })

  it('R-SEC-08 binds whoever asks for an unlisted profile to another one', async () => {
    expect(await authenticate({ profile: 'secret' })).toEqual({ principal: localClient, profile: 'default' })
  })
})
