import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { skipUnlessDocker } from '../support/docker-only.ts'
import { docker } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { type ContainmentWatch, watchContainment } from '../support/host/containment.ts'
import { watchEngine } from '../support/host/engine-state.ts'
import { type Host, type ObserverName, watchHost } from '../support/host/host.ts'
import { sightingProblems } from '../support/host/sighting.ts'
import { redisCli } from '../support/redis.ts'
import { runInWeakContainer } from '../support/weak-container.ts'
import { startWorld, type World } from '../support/world.ts'

const ROOT = ['--user', '0:0', '--security-opt', 'seccomp=unconfined']
/** Root with writable files in /proc and /sys. */
const WRITABLE_KERNEL = [...ROOT, '--network', 'none', '--security-opt', 'systempaths=unconfined']
const CORE_PATTERN = '/proc/sys/kernel/core_pattern'

let world: World
let host: Host

beforeAll(async () => {
  world = await startWorld()
})

beforeEach(async () => {
  host = await watchHost(world)
})

afterEach(async () => {
  await host.close()
})

afterAll(async () => {
  await world?.close()
})

function fact(name: string): string {
  return new RegExp(`^${name} (.*)$`, 'm').exec(host.knowledge)?.[1] ?? ''
}

/** Runs an attack in a container in which it can succeed; returns its output and the observers that noticed it. */
async function attackWeak(attack: string, ...flags: string[]) {
  const path = new URL(`${attack}.py`, new URL('corpus/', import.meta.url))
  const { dockerHost, prefix } = world
  const output = await runInWeakContainer({ dockerHost, stack: prefix, flags, path, stdin: host.knowledge })
  const findings = await host.findings()
  return { output, noticed: findings.map((finding) => finding.split(':', 1)[0] as ObserverName) }
}

// promise: attack-corpus
describe('an attack that succeeds in a weak container is noticed', () => {
  it('by the observer of host files, and by their secret in the output', async () => {
    const { output, noticed } = await attackWeak('escape/host-files', ...ROOT, '--volume', '/:/host')
    expect(noticed).toContain('files')
    expect(output).toContain(host.secrets[0])
  })

  it('by the observer of servers on the host', async () => {
    const { noticed } = await attackWeak('escape/reach-the-host', ...ROOT, '--network', 'host')
    expect(noticed).toContain('network')
  })

  it('by the observer of kernel settings', async () => {
    const before = readFileSync(CORE_PATTERN, 'utf8')
    try {
      const { noticed } = await attackWeak('../observed/write-core-pattern', ...WRITABLE_KERNEL)
      expect(noticed).toContain('kernel')
    } finally {
      writeFileSync(CORE_PATTERN, before)
    }
  })

  it('by the observer of the kernel log, keys and System V objects', async () => {
    const weak = [...WRITABLE_KERNEL, '--ipc', 'host', '--device', '/dev/kmsg']
    const { noticed } = await attackWeak('escape/kernel-log', ...weak)
    expect(noticed).toContain('objects')
    await host.close()
    host = await watchHost(world)
    const second = await attackWeak('../observed/leave-a-segment', ...weak)
    expect(second.noticed).toContain('objects')
  })

  it('by the observers of host processes', async () => {
    const { noticed } = await attackWeak(
      'escape/hurt-host-processes',
      ...ROOT,
      '--pid',
      'host',
      '--network',
      'none',
    )
    expect(noticed).toContain('victim')
    // The attack first ends the `victim`, a process for this purpose, then the worker.
    expect(noticed).toContain('worker')
    await world.close().catch(() => {})
    world = await startWorld()
  })

  it('by the observer of processes outside of containers', async () => {
    const weak = [...WRITABLE_KERNEL, '--pid', 'host', '--volume', '/sys/fs/cgroup:/host-cgroup']
    const attack = attackWeak('../observed/leave-the-group', ...weak)
    // The process ends with its container, so the check runs while the container exists.
    const findings = await eventually(host.findings, (found) => found.length > 0)
    await attack
    expect(findings.join()).toMatch(/^processes: /)
  })

  it('by the observers of the engine and of Redis', async () => {
    const [engine, redis] = [world.dockerHost, world.redisUrl].map((url) => url.replace(/^[a-z+]+:\/\//, ''))
    const sockets = [engine, redis].flatMap((path) => ['--volume', `${path}:${path}`])
    const { noticed } = await attackWeak('escape/docker-socket', ...ROOT, '--network', 'none', ...sockets)
    await docker(world.dockerHost, 'volume', 'rm', fact('marker'))
    await redisCli(world.redisUrl, 'DEL', fact('marker'))
    expect(noticed).toEqual(expect.arrayContaining(['engine', 'redis']))
  })

  it('by the observer of the volume with init', async () => {
    // A volume of its own, because other specs observe the shared one at the same time.
    const volume = `isopod-observed-${process.pid}`
    const inside = (command: string) =>
      docker(
        world.dockerHost,
        ...['run', '--rm', '--network', 'none', '--volume', `${volume}:/isopod`, 'isopod/bash:5.2'],
        ...['bash', '-c', command],
      )
    try {
      await inside('cp /bin/true /isopod/init')
      const engine = await watchEngine(world.dockerHost, 'no marker', volume)
      expect(await engine.findings()).toEqual([])
      await inside('chmod g+w /isopod/init')
      expect(await engine.findings()).toEqual([expect.stringContaining(`${volume}/_data/init`)])
      await inside('chmod g-w /isopod/init && echo >> /isopod/init')
      expect(await engine.findings()).toEqual([expect.stringContaining(`${volume}/_data/init`)])
    } finally {
      await docker(world.dockerHost, 'volume', 'rm', '--force', volume)
    }
  })
})

// promise: attack-corpus
describe('a container that is not confined is noticed', () => {
  let watch: ContainmentWatch

  beforeEach(async (context) => {
    skipUnlessDocker(context, 'weakContainers')
    watch = await watchContainment(world, 'runc')
  })

  afterEach(() => watch?.close())

  const wanted = { memoryMb: 64, processes: 20, cpus: 0.5 }
  const unused = {
    timeoutSeconds: 1,
    cpuSeconds: null,
    memorySwapMb: 64,
    diskMb: 1,
    outputBytes: 1,
    openFiles: 64,
  }

  async function problems(attack: string, ...flags: string[]): Promise<string> {
    await attackWeak(attack, '--network', 'none', ...flags)
    const seen = (await watch.ofJob(world.prefix)).at(-1)
    if (seen === undefined) throw new Error('the container was not seen')
    return sightingProblems(seen, { ...wanted, ...unused }).join('; ')
  }

  const sized = ['--memory', '64m', '--memory-swap', '64m', '--pids-limit', '21', '--cpus', '0.5']
  const bare = ['--user', '60001:60001', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']

  it('because of its limits', async () => {
    const found = await problems(
      '../observed/linger',
      ...bare,
      '--memory',
      '128m',
      '--pids-limit',
      '50',
      '--cpus',
      '1',
    )
    expect(found).toMatch(/memory was 134217728.*pids was 50.*cpus was 1/)
  })

  it('because of its user, its capabilities and its missing seccomp filter', async () => {
    const found = await problems('../observed/linger', ...sized, '--security-opt', 'seccomp=unconfined')
    expect(found).toMatch(/CapEff.*is root.*may gain privileges.*no seccomp filter/)
  })

  it('because of a namespace and a control group that it made', async () => {
    const weak = ['--security-opt', 'seccomp=unconfined', '--volume', '/sys/fs/cgroup:/host-cgroup']
    const found = await problems('../observed/new-namespace-and-group', ...sized, ...weak)
    expect(found).toContain('another uts namespace')
    expect(found).toContain('a control group of its own making')
  })

  it("because of the space that it takes on the engine's disk", async () => {
    const found = await problems(
      '../observed/write-to-the-image',
      ...sized,
      '--user',
      '0:0',
      '--log-driver',
      'none',
    )
    expect(found).toMatch(/it took \d{7,} bytes of the engine's disk/)
  })

  it.each(['linger', 'end-by-the-filter'])('only then: a confined one is not (%s)', async (program) => {
    expect(
      await problems(`../observed/${program}`, ...sized, ...bare, '--read-only', '--log-driver', 'none'),
    ).toBe('')
  })
})
