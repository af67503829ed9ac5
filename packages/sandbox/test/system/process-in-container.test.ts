import { execFile } from 'node:child_process'
import { CHECKOUT, IMAGES } from '@isopod/devstack'
import { beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { processRoots } from '../../../../test/support/process-roots.ts'
import { scaled } from '../../../../test/support/time-factor.ts'

/** What a container of a worker needs (docs/drivers.md): of no use alone, so that each is in the list for a reason. */
const CAPABILITIES = ['SYS_ADMIN', 'NET_ADMIN', 'SETUID', 'SETGID', 'KILL'] as const
/** The engine's own profiles refuse `pivot_root`, and mounts. */
const UNCONFINED = ['--security-opt', 'seccomp=unconfined', '--security-opt', 'apparmor=unconfined']

const { dockerHost } = inject('stack')
let roots: string

beforeAll(async () => {
  roots = await processRoots()
})
beforeEach((context) =>
  context.skip(!dockerHost.startsWith('unix://'), 'the engine must see the files of this checkout'),
)

/** Runs the self-test of a worker in a container that is not privileged, with the programs of this host. */
function selfTest(capabilities: readonly string[]): Promise<{ code: number | null; output: string }> {
  const readable = ['/usr', CHECKOUT, process.execPath, roots]
  const settings = {
    ISOPOD_DRIVER: 'process',
    ISOPOD_ROOTS_DIR: roots,
    // A writable directory, and the only one.
    ISOPOD_SANDBOX_STATE_DIR: '/run/isopod',
  }
  const words = [
    ...['run', '--rm', '--network', 'none', '--read-only', '--tmpfs', '/run:exec,mode=755'],
    ...['--cap-drop', 'ALL', ...capabilities.flatMap((name) => ['--cap-add', name])],
    ...UNCONFINED,
    ...readable.flatMap((path) => ['--volume', `${path}:${path}:ro`]),
    ...Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...[IMAGES.bash, process.execPath, `${CHECKOUT}/apps/worker/bin/isopod-worker.js`, 'self-test'],
  ]
  return new Promise((resolve) => {
    const child = execFile(
      'docker',
      words,
      { env: { ...process.env, DOCKER_HOST: dockerHost }, timeout: scaled(100_000) },
      (_, stdout, stderr) => resolve({ code: child.exitCode, output: stdout + stderr }),
    )
  })
}

// promise: process-driver
describe('the process driver in a container that is not privileged', () => {
  it('holds against every attack of the self-test with five capabilities and a read-only root', async () => {
    const { code, output } = await selfTest(CAPABILITIES)
    const lines = output.trim().split('\n')
    expect(lines.filter((line) => !line.includes('"verdict":"held"')).slice(0, -1)).toEqual([])
    expect(lines.at(-1)).toContain('"contained":true')
    expect([code, lines.length > 10]).toEqual([0, true])
  })

  it('refuses to start without the capability to mount, and names it', async () => {
    const { code, output } = await selfTest(CAPABILITIES.filter((name) => name !== 'SYS_ADMIN'))
    expect(output).toMatch(/the kernel mounts no overlay \(.*\); .* in a container, give it CAP_SYS_ADMIN/)
    expect(code).toBe(1)
  })
})
