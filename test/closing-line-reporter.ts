import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with the plain line `N passed, N failed[, N skipped]` that any tool can read. */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      const tests = [...module.children.allTests()]
      for (const test of tests) {
        const { state } = test.result()
        counts[state === 'pending' ? 'skipped' : state]++
      }
      if (tests.length === 0 && module.state() === 'failed') counts.failed++
    }
    counts.failed += errors.length
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed${skipped}\n`)
  }
}
