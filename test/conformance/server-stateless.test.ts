import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { openServed } from './open-served.ts'

const conformance = join(import.meta.dirname, '../../node_modules/conformance-next/dist/index.js')

/** One check of the suite, as it writes it down. */
interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'WARNING' | 'FAILURE' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

// The suite changes lists four times in three seconds, and a server's lists are read again every five at most.
const tooSoon = [
  'sep-2575-server-sends-prompts-list-changed-on-subscription',
  'sep-2575-server-sends-tools-list-changed-on-subscription',
]

// The suite's own clocks are short for a machine under load, so that it may be run twice.
it('passes all that the revision 2026-07-28 requires of servers, in front of a server of an older one', {
  retry: 1,
  timeout: 120_000,
}, async () => {
  await using served = await openServed('conformance-server')
  const results = join(served.folder, 'results')
  const parts = ['server', '--url', served.url, '--requirements', '2026-07-28', '--output-dir', results]
  const run = await execa('node', [conformance, ...parts], {
    cwd: served.folder,
    reject: false,
    all: true,
    timeout: 100_000,
  })
  const checks = await checksIn(results)
  const failed = checks.filter(
    ({ id, status }) => status === 'FAILURE' || (status === 'WARNING' && !tooSoon.includes(id)),
  )
  expect(failed, run.all).toEqual([])
  expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(100)
})

/** All checks that were written down, those of the tasks extension aside. */
async function checksIn(results: string): Promise<readonly Check[]> {
  const checks: Check[] = []
  for (const file of await readdir(results, { recursive: true })) {
    if (!file.endsWith('checks.json') || file.includes('tasks-')) continue
    checks.push(...JSON.parse(await readFile(join(results, file), 'utf8')))
  }
  return checks
}
