import type { ImageName } from '@isopod/devstack'
import type { VmArchitecture } from './machine.ts'

/** Kinds of engines in the guest. */
export type EngineMode = 'plain' | 'rootless' | 'userns-remap' | 'newer-runc'

/** Whether an engine of this kind has its own image store, and loads {@link LOADED_IMAGES} at the start of its leg. */
export function loadsImages(mode: EngineMode): boolean {
  return mode === 'rootless' || mode === 'userns-remap'
}

/** Images that are loaded under emulation, which takes a minute for each 100 MB. */
export const LOADED_IMAGES: readonly ImageName[] = ['bash']

/** Directory of the process driver's roots, on the disk of the images; users without root can read it. */
export const ROOTS = '/images/roots'

/** A leg: one boot of a virtual machine, and the specs that it runs. */
export interface Leg {
  readonly name: string
  /** What the leg tests. */
  readonly title: string
  readonly engine: EngineMode
  /** Driver of the specs' workers. @default docker */
  readonly driver?: 'process'
  /**
   * Whether to run a worker's self-test, as `isopod doctor --attack` does: on the engine, or with the process driver as a user
   * without root, to whom systemd delegates cgroups.
   */
  readonly probes?: 'root' | 'user'
  /** Spec files, one vitest run. */
  readonly specs: readonly string[]
  /** Pattern for the names of the tests to run, if a whole file takes too long under emulation. */
  readonly only?: string
  /** Timeout of the leg in minutes. */
  readonly minutes: number
  /** @default x64 */
  readonly architectures?: readonly VmArchitecture[]
}

/** The legs of `npm run test:vm`, in order. */
export const LEGS: readonly Leg[] = [
  {
    name: 'self-test',
    title: 'the attacks of the self-test',
    engine: 'plain',
    probes: 'root',
    specs: [],
    minutes: 30,
    architectures: ['x64', 'arm64'],
  },
  {
    name: 'limits',
    title: 'each limit and its read-back, and the verdicts of memory, processes, time, output and disk',
    engine: 'plain',
    specs: [
      'test/security/read-back.test.ts',
      'test/security/limits-on-the-host.test.ts',
      'test/security/made-as-asked.test.ts',
      'packages/sandbox/test/system/docker-driver.test.ts',
      'packages/sandbox/test/system/docker-sandbox.test.ts',
      'packages/sandbox/test/system/report.test.ts',
      'packages/sandbox/test/system/probe-sensitivity.test.ts',
      'test/security/lost-sandbox.test.ts',
      'test/security/old-runc.test.ts',
      'test/security/worker-gone.test.ts',
      'test/security/disk-reads.test.ts',
      'test/security/offline-cgroups.test.ts',
      'test/e2e/any-image.test.ts',
      'test/e2e/network-interfaces.test.ts',
      'test/e2e/runtime.test.ts',
      'test/e2e/isolation.test.ts',
      'test/e2e/tests.test.ts',
      'test/e2e/hostile.test.ts',
    ],
    minutes: 90,
  },
  {
    name: 'process',
    title:
      'the process driver: its contract and parts, the self-test, and specs of limits and attacks with it',
    engine: 'plain',
    driver: 'process',
    specs: [
      'packages/init/test/native/spawner.test.ts',
      'packages/sandbox/test/process/sandbox-places.test.ts',
      'packages/sandbox/test/system/process-driver.test.ts',
      'packages/sandbox/test/system/process-protections.test.ts',
      'packages/sandbox/test/system/process-host.test.ts',
      'packages/sandbox/test/system/process-in-container.test.ts',
      'test/e2e/runtime.test.ts',
      'test/e2e/tests.test.ts',
      'test/security/resources.test.ts',
      'test/chaos/killed-process-worker.test.ts',
    ],
    minutes: 90,
  },
  {
    name: 'process-user',
    title: 'the self-test with the process driver without root, in cgroups that systemd delegates',
    engine: 'plain',
    driver: 'process',
    probes: 'user',
    specs: [],
    minutes: 30,
  },
  {
    name: 'reuse',
    title: 'the pool, many runs in one container, batches and preload',
    engine: 'plain',
    specs: [
      'packages/sandbox/test/system/pool.test.ts',
      'packages/sandbox/test/system/multi-run.test.ts',
      'packages/sandbox/test/system/preload.test.ts',
      'packages/sandbox/test/system/preload-forks.test.ts',
      'test/e2e/preload.test.ts',
      'test/e2e/batch-reuse.test.ts',
    ],
    minutes: 90,
  },
  {
    name: 'seccomp',
    title: 'every refused system call, programs under AppArmor, and what kernel objects cost the host',
    engine: 'plain',
    specs: [
      'test/security/seccomp.test.ts',
      'test/security/seccomp-setting.test.ts',
      'test/security/seccomp-profiles.test.ts',
      'test/security/apparmor.test.ts',
      'test/security/kernel-memory.test.ts',
    ],
    minutes: 60,
  },
  {
    name: 'attacks',
    title: 'the corpus of attacks, judged by what stays true on the host',
    engine: 'plain',
    specs: [
      'test/security/escape.test.ts',
      'test/security/information.test.ts',
      'test/security/resources.test.ts',
      'test/security/wire-forgery.test.ts',
      'test/security/grader-capture.test.ts',
      'test/security/between-jobs-of-a-batch.test.ts',
    ],
    minutes: 120,
  },
  {
    name: 'rootless',
    title: 'the self-test and the sandbox under Docker without root',
    engine: 'rootless',
    probes: 'root',
    specs: ['packages/sandbox/test/system/docker-sandbox.test.ts', 'test/security/read-back.test.ts'],
    minutes: 60,
  },
  {
    name: 'userns-remap',
    title: 'the self-test and the sandbox with user ids that the engine maps',
    engine: 'userns-remap',
    probes: 'root',
    specs: ['packages/sandbox/test/system/docker-sandbox.test.ts', 'test/security/read-back.test.ts'],
    minutes: 60,
  },
  {
    name: 'newer-runc',
    title: 'the self-test and the sandbox with the runc of Debian’s next release',
    engine: 'newer-runc',
    probes: 'root',
    specs: ['packages/sandbox/test/system/docker-sandbox.test.ts', 'test/security/old-runc.test.ts'],
    minutes: 60,
  },
]

/** The legs of one processor. */
export function legsOf(architecture: VmArchitecture): readonly Leg[] {
  return LEGS.filter(({ architectures = ['x64'] }) => architectures.includes(architecture))
}
