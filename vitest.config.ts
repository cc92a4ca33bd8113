import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Many tests start this very program as a process of its own; each would compile it anew.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled')

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', './test/closing-line-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'rooms',
          include: ['packages/*/test/**/*.test.ts'],
          // Nothing of them stays in a process, so one process takes many files, and reads each module once.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: [
            // By name: the test of a plugin that somebody makes here is run by Node.
            'plugins/{filesystem,notes-legacy,system}/test/**/*.test.ts',
            'examples/*/*.test.ts',
            'test/**/*.test.ts',
          ],
        },
      },
    ],
  },
})
