const PLATFORM = 'of the worker, the queue or the command line; no kernel and no engine could change it'
const TOO_LONG = 'compiles and runs hundreds of programs, which emulation does not finish in an hour'
const NO_NETWORK = 'the guest has no network and no package archive to build from'

/** System specs that no leg runs: path or pattern → why not. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'apps/cli/test/system/*': PLATFORM,
  'packages/devstack/test/system/private-stack.test.ts': 'of set-up, which the guest’s own engine replaces',
  'packages/devstack/test/system/workers.test.ts': PLATFORM,
  'packages/sandbox/test/system/preload-corpora.test.ts': TOO_LONG,
  'test/chaos/batch-loss.test.ts': PLATFORM,
  'test/chaos/engine-loss.test.ts': 'ends an engine of its own, which the guest has no images for',
  'test/chaos/grade-loss.test.ts': TOO_LONG,
  'test/chaos/poisoned-queue.test.ts': PLATFORM,
  'test/chaos/redis-loss.test.ts': PLATFORM,
  'test/chaos/worker-loss.test.ts': PLATFORM,
  'test/e2e/absent-services.test.ts': PLATFORM,
  'test/e2e/admission.test.ts': PLATFORM,
  'test/e2e/audit.test.ts': PLATFORM,
  'test/e2e/bench.test.ts': 'measures speed, which emulation has none of',
  'test/e2e/busy-worker.test.ts': 'judges by the processor’s load, which emulation makes up',
  'test/e2e/delivery.test.ts': PLATFORM,
  'test/e2e/documents.test.ts': PLATFORM,
  'test/e2e/flaky.test.ts': PLATFORM,
  'test/e2e/gateway.test.ts': PLATFORM,
  'test/e2e/grade-report.test.ts': 'needs a browser',
  'test/e2e/heavy-checks.test.ts': PLATFORM,
  'test/e2e/images.test.ts': NO_NETWORK,
  'test/e2e/job-seconds.test.ts': PLATFORM,
  'test/e2e/languages.test.ts': TOO_LONG,
  'test/e2e/many-languages.test.ts': TOO_LONG,
  'test/e2e/policy.test.ts': PLATFORM,
  'test/e2e/refusals.test.ts': PLATFORM,
  'test/e2e/result-cache.test.ts': PLATFORM,
  'test/e2e/retry-fairness.test.ts': PLATFORM,
  'test/e2e/script-cheats.test.ts': TOO_LONG,
  'test/e2e/script-corpora.test.ts': TOO_LONG,
  'test/e2e/script-tests.test.ts': PLATFORM,
  'test/e2e/service-image.test.ts': NO_NETWORK,
  'test/e2e/service-plan.test.ts': PLATFORM,
  'test/security/channel.test.ts': 'measures bits a second between two jobs, which emulation drowns in noise',
  'test/security/manifest.test.ts': PLATFORM,
  'test/security/missing-controllers.test.ts':
    'hides a controller of cgroup v1 from an engine; v2 has them in one tree',
  'test/security/network-profiles.test.ts': 'of the proxy, whose deadlines emulation cannot meet',
  'test/security/observers.test.ts':
    'tests the observers of the host that the attacks are judged by, not the product',
  'test/security/seccomp-languages.test.ts': TOO_LONG,
  'test/security/self-test.test.ts':
    'starts the whole self-test five times more; its attacks are a leg of their own',
  'test/security/silent-logs.test.ts': PLATFORM,
}
