import { join } from 'node:path'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { openServed } from './open-served.ts'

const conformance = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')

it.each([
  ['active', 40, 40],
  // How often its last scenario sees a stream come back depends on how busy the machine is.
  ['pending', 6, 7],
])(
  'passes every check of the %s suite of public conformance, in front of a server made for it',
  async (suite, least, most) => {
    // Streams are closed soon, so that the suite sees how a client comes back for the rest.
    await using served = await openServed('conformance-server', { limits: { streamMs: 500, sessions: 100 } })
    const run = await execa('node', [conformance, 'server', '--url', served.url, '--suite', suite], {
      cwd: served.folder,
      reject: false,
      all: true,
      timeout: 100_000,
    })
    const summary = run.all.slice(run.all.indexOf('=== SUMMARY ==='))
    const [, passed = '', failed = ''] = /^Total: (\d+) passed, (\d+) failed/m.exec(summary) ?? []
    expect([Number(failed), Number(passed) >= least, Number(passed) <= most], summary).toEqual([0, true, true])
    expect(summary).not.toContain('✗')
    expect(run.exitCode).toBe(0)
  },
  120_000,
)
