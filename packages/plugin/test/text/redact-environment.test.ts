import { describe, expect, it } from 'vitest'
import { redactEnvironment } from '../../src/text/redact-environment.ts'

describe('redactEnvironment', () => {
  it.each([
    'API_KEY',
    'DIFY_KEY',
    'GITHUB_TOKEN',
    'CLIENT_SECRET',
    'DB_PASSWORD',
    'MYSQL_PWD',
    'PGPASS',
    'AWS_CREDENTIALS',
    'NPM_AUTH',
    'SESSION_COOKIE',
    'PRIVATE_PEM',
    'SENTRY_DSN',
    'apiKey',
  ])('hides the value of %s', (name) => {
    expect(redactEnvironment({ [name]: 'x' })).toEqual({ [name]: '[redacted:environment]' })
  })

  it('keeps names and harmless values, and what is empty', () => {
    const harmless = { PATH: '/bin', HOME: '/home/ada', PWD: '/work', OLDPWD: '/', GIT_AUTHOR_NAME: 'Ada', API_KEY: '' }
    expect(redactEnvironment(harmless)).toEqual(harmless)
  })

  it('redacts a secret shape whatever its name, and keeps the rest of the value', () => {
    expect(redactEnvironment({ DATABASE_URI: 'postgres://ada:pw@127.0.0.1:9/db' })).toEqual({
      DATABASE_URI: 'postgres://ada:[redacted:database-url]@127.0.0.1:9/db',
    })
  })

  it('leaves out what has no value and does not change what it was given', () => {
    const env = { A: undefined, B_TOKEN: 'x' }
    expect(redactEnvironment(env)).toEqual({ B_TOKEN: '[redacted:environment]' })
    expect(env).toEqual({ A: undefined, B_TOKEN: 'x' })
  })

  it('takes a variable of any name as a plain one', () => {
    expect(Object.keys(redactEnvironment(JSON.parse('{"__proto__": "x"}')))).toEqual(['__proto__'])
  })
})
