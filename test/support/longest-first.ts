import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Specs that take most of the time, unit specs and system specs, the longest first; some that wait beside some that compute. */
const LONGEST = [
  'packages/judging/test/comparison/output-checks.test.ts',
  'packages/queue/test/redis/poisoned-state.test.ts',
  'packages/queue/test/redis/dead-peer.test.ts',
  'packages/queue/test/jobs/queue-deadlines.test.ts',
  'packages/queue/test/redis/poisoned-queue.test.ts',
  'packages/policy/test/checker.test.ts',
  'packages/client/test/batch/outage.test.ts',
  'packages/queue/test/redis/redis-restart.test.ts',
  'packages/init/test/native/tunnel.test.ts',
  'packages/queue/test/jobs/crash.test.ts',
  'packages/init/test/native/limits.test.ts',
  'packages/queue/test/redis/full-redis.test.ts',
  'packages/queue/test/jobs/redis-pause.test.ts',

  'test/e2e/languages.test.ts',
  'test/chaos/worker-loss.test.ts',
  'test/e2e/python-client.test.ts',
  'test/chaos/batch-loss.test.ts',
  'test/e2e/page.test.ts',
  'test/security/silent-logs.test.ts',
  'apps/cli/test/system/grade.test.ts',
  'test/chaos/engine-loss.test.ts',
  'test/security/resources.test.ts',
  'packages/sandbox/test/system/probe-sensitivity.test.ts',
  'test/e2e/script-cheats.test.ts',
  'test/security/channel.test.ts',
  'test/e2e/hostile.test.ts',
  'test/chaos/nemesis.test.ts',
  'test/e2e/many-languages.test.ts',
  'packages/devstack/test/system/workers.test.ts',
  'test/security/network-profiles.test.ts',
  'test/security/seccomp-languages.test.ts',
  'test/e2e/webhooks.test.ts',
  'test/e2e/install.test.ts',
  'test/e2e/service-plan.test.ts',
  'test/e2e/script-corpora.test.ts',
  'test/chaos/outage.test.ts',
  'packages/sandbox/test/system/preload.test.ts',
  'test/chaos/poisoned-queue.test.ts',
  'test/security/self-test.test.ts',
  'test/e2e/bench.test.ts',
  'test/chaos/grade-loss.test.ts',
  'test/e2e/policy.test.ts',
  'apps/gateway/test/system/openapi.test.ts',
  'test/e2e/audit.test.ts',
  'test/security/seccomp-profiles.test.ts',
  'apps/mcp/test/system/process.test.ts',
]

/** Starts the longest specs first, so that none of them runs alone at the end while the other workers of vitest are idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    const rank = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`))
      return place === -1 ? LONGEST.length : place
    }
    const sorted = await super.sort(files)
    return sorted.sort((one, other) => group(one) - group(other) || rank(one) - rank(other))
  }
}
