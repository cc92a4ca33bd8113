import { join } from 'node:path'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { openServed } from './open-served.ts'

const conformance = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')

it.each([
  ['active', 40],
  ['pending', 7],
])(
  'passes every check of the %s suite of public conformance, in front of a server made for it',
  async (suite, checks) => {
    // Streams are closed soon, so that the suite sees how a client comes back for the rest.
    await using served = await openServed('conformance-server', { limits: { streamMs: 500, sessions: 100 } })
    const run = await execa('node', [conformance, 'server', '--url', served.url, '--suite', suite], {
      cwd: served.folder,
      reject: false,
      all: true,
      timeout: 100_000,
    })
    const summary = run.all.slice(run.all.indexOf('=== SUMMARY ==='))
    expect(summary).toMatch(new RegExp(`^Total: ${checks} passed, 0 failed`, 'm'))
    expect(summary).not.toContain('✗')
    expect(run.exitCode).toBe(0)
  },
  120_000,
)
