import type { TestContext } from 'vitest'
import { DRIVER } from './runtime.ts'

/**
 * Features that only the docker driver has, and what holds instead: the reasons for each test that `npm run test:process` skips.
 * docs/drivers.md lists them as differences.
 */
const DOCKER_ONLY = {
  engine: 'the process driver has no engine that could be absent',
  appArmor: 'the process driver applies no AppArmor profile, and refuses the setting',
  diskReads: 'the process driver limits no disk reads, and refuses the setting',
  ociRuntimes: 'the process driver has no OCI runtime, and so no runc that could be old',
  engineChanges:
    'no engine between worker and sandbox can change what the worker asked for; packages/sandbox/test/system/process-protections.test.ts changes it in the driver',
  engineRecord:
    'there is no record of an engine to compare; packages/sandbox/test/system/process-protections.test.ts reads the sandbox in /proc',
  engineRestart:
    'no engine could restart a sandbox; test/chaos/worker-loss.test.ts kills workers, and sees their sandboxes end',
  weakContainers: 'the containers that this test observes are those of an engine',
} as const

/** Skips a test of a feature that only the docker driver has. */
export function skipUnlessDocker(context: TestContext, feature: keyof typeof DOCKER_ONLY): void {
  context.skip(DRIVER !== 'docker', DOCKER_ONLY[feature])
}
