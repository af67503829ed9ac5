import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { scaled } from './test/support/time-factor.ts'
import { TotalsReporter } from './test/support/totals-reporter.ts'

/** Whole-system specs: `test/support/stack.ts` starts the Redis and the engine that they need and builds the images. */
const SYSTEM = ['{packages,apps}/*/test/**/system/**/*.test.ts', 'test/{e2e,security,chaos}/**/*.test.ts']

/** Specs that repeat with large numbers in `npm run test:soak`. */
const SOAKED = [
  'apps/cli/test/system/grade.test.ts',
  'packages/sandbox/test/system/preload{,-corpora}.test.ts',
  'test/e2e/{delivery,gateway-fuzz,judge-decoders,many-languages,mutated-references,plain-toolchain}.test.ts',
  'test/e2e/{lying-values,script-cheats,script-corpora,split-cheats,split-scripts}.test.ts',
  'packages/devstack/test/system/build-roots.test.ts',
  'test/chaos/grade-loss.test.ts',
  'test/security/{channel,kernel-memory,limits-on-the-host}.test.ts',
]

/** Specs of which `npm run test:soak` is the only run: they build images, or compute for long. */
const SOAK_ONLY = ['test/e2e/{heavy-checks,service-image,worker-process-image}.test.ts']

/** Specs of what a release brings: packages, the client for Python, pages in a browser, data sets, benchmarks. CI runs them. */
const RELEASE = [
  'test/e2e/{bench,grade-report,install,many-languages,page,python-client,queue-board}.test.ts',
]

/** Specs that change the host for a moment, measure it, or keep it busy: no other spec runs beside them. */
const ALONE = [
  'packages/devstack/test/system/install-packages.test.ts',
  'test/security/observers.test.ts',
  'test/security/kernel-memory.test.ts',
  'test/e2e/{busy-compiler,busy-worker,retry-fairness}.test.ts',
]

const system = {
  globalSetup: 'test/support/stack.ts',
  // The tests run on the engine of the distribution; set-up has warned of an old one.
  env: { ISOPOD_ALLOW_OLD_RUNC: 'true' },
  testTimeout: scaled(120_000),
  hookTimeout: scaled(120_000),
}

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than two cores: many specs wait for leases, limits and containers. A fourth gains nothing.
    maxWorkers: 3,
    // A process for each file would spend more time on its imports than many files on their tests.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // The specs start hundreds of Node processes; with this cache each takes 0.1 s less of processor time.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/node', import.meta.url)) },
    // A second, the default, is too short for a process to start on a slow host.
    expect: { poll: { timeout: scaled(5000) } },
    reporters: [['default', { summary: false }], new TotalsReporter()],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{packages,apps}/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: SYSTEM,
          globalSetup: 'test/support/redis-binary.ts',
          testTimeout: scaled(30_000),
          hookTimeout: scaled(30_000),
          // They wait more than system specs do, mostly for locks and timeouts in Redis.
          maxWorkers: 5,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...system,
          name: 'system',
          include: SYSTEM,
          exclude: [...ALONE, ...RELEASE, ...SOAK_ONLY],
          sequence: { groupOrder: 1 },
        },
      },
      { extends: true, test: { ...system, name: 'release', include: RELEASE, sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: {
          ...system,
          name: 'batch',
          // A part of `npm run test:batch`: the attacks on init's messages, in containers that jobs share.
          env: { ...system.env, TEST_REUSE: 'batch' },
          include: ['test/security/{wire-forgery,grader-capture}.test.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...system,
          name: 'soak',
          env: { ...system.env, TEST_SOAK: 'true' },
          include: [...SOAKED, ...SOAK_ONLY],
          // Some of them measure the host.
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: { ...system, name: 'system-alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
})
