import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with the names of what failed and the plain line `N passed, N failed[, N skipped]` that any tool can read. */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    const broken: string[] = []
    for (const module of modules) {
      const tests = [...module.children.allTests()]
      for (const test of tests) {
        const { state } = test.result()
        counts[state === 'pending' ? 'skipped' : state]++
        if (state === 'failed') broken.push(`${module.relativeModuleId} > ${test.fullName}`)
      }
      // A file that could not be loaded, or whose hooks failed, has no failed test to show for it.
      if (module.state() === 'failed' && !tests.some((test) => test.result().state === 'failed')) {
        counts.failed++
        broken.push(module.relativeModuleId)
      }
    }
    counts.failed += errors.length
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
    for (const name of broken) process.stdout.write(`\nfailed: ${name}`)
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed${skipped}\n`)
  }
}
