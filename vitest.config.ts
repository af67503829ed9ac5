import { defineConfig } from 'vitest/config'
import { scaled } from './test/support/time-factor.ts'
import { TotalsReporter } from './test/support/totals-reporter.ts'

/** Whole-system specs: they need Redis, an engine and the images, which `test/support/stack.ts` sees to. */
const SYSTEM = ['{packages,apps}/*/test/**/system/**/*.test.ts', 'test/{e2e,security,chaos}/**/*.test.ts']

/** Specs that change the host for a moment, which others that run then would notice, that measure it, or keep it busy. */
const ALONE = [
  'test/security/observers.test.ts',
  'test/security/kernel-memory.test.ts',
  'test/e2e/{busy-worker,retry-fairness}.test.ts',
]

const system = {
  globalSetup: 'test/support/stack.ts',
  // The engine of the tests is whatever the distribution has; whoever runs them has seen the warning of set-up.
  env: { ISOPOD_ALLOW_OLD_RUNC: 'true' },
  testTimeout: scaled(120_000),
  hookTimeout: scaled(120_000),
}

export default defineConfig({
  test: {
    pool: 'forks',
    // Real processes and containers on perhaps two cores: more files at once would only measure each other.
    maxWorkers: 2,
    reporters: [['default', { summary: false }], new TotalsReporter()],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{packages,apps}/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: SYSTEM,
          globalSetup: 'test/support/redis-binary.ts',
          testTimeout: 30_000,
          hookTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { ...system, name: 'system', include: SYSTEM, exclude: ALONE, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: {
          ...system,
          name: 'batch',
          // A part of what `npm run test:batch` does: the attacks on what init says, in containers that jobs share.
          env: { ...system.env, TEST_REUSE: 'batch' },
          include: ['test/security/{wire-forgery,grader-capture}.test.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { ...system, name: 'system-alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
})
