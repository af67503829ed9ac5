import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Specs that take most of the time, the longest first. */
const LONGEST = [
  'test/e2e/page.test.ts',
  'packages/sandbox/test/system/preload.test.ts',
  'test/security/silent-logs.test.ts',
  'test/chaos/grade-loss.test.ts',
  'test/e2e/python-client.test.ts',
  'test/e2e/install.test.ts',
  'test/e2e/many-languages.test.ts',
  'test/security/channel.test.ts',
  'test/security/self-test.test.ts',
  'test/e2e/policy.test.ts',
  'test/security/network-profiles.test.ts',
  'packages/sandbox/test/system/probe-sensitivity.test.ts',
  'test/chaos/batch-loss.test.ts',
  'test/chaos/worker-loss.test.ts',
  'packages/devstack/test/system/private-stack.test.ts',
  'test/security/resources.test.ts',
  'test/e2e/languages.test.ts',
  'apps/cli/test/system/grade.test.ts',
  'packages/judging/test/comparison/output-checks.test.ts',
  'packages/queue/test/redis/poisoned-state.test.ts',
  'packages/queue/test/redis/redis-restart.test.ts',
  'packages/policy/test/checker.test.ts',
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
