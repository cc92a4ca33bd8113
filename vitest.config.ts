import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'packages/*/test/**/*.test.ts',
      // By name: the test of a plugin that somebody makes here is run by Node.
      'plugins/{filesystem,notes-legacy,system}/test/**/*.test.ts',
      'examples/*/*.test.ts',
      'test/**/*.test.ts',
    ],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', './test/closing-line-reporter.ts'],
  },
})
