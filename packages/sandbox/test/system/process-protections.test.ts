import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { probeBinary } from '@isopod/init'
import { RetryableError } from '@isopod/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initOf } from '../../../../test/support/host/confinement-problems.ts'
import { groupOf } from '../../../../test/support/host/control-group.ts'
import { processRoots } from '../../../../test/support/process-roots.ts'
import { ContainerMaker } from '../../src/acquire/container-maker.ts'
import { kindOf } from '../../src/acquire/container-source.ts'
import { FreshContainers } from '../../src/acquire/fresh-containers.ts'
import { MASKED_PATHS, READONLY_PATHS } from '../../src/driver/confinement.ts'
import type { NewContainer } from '../../src/driver/container.ts'
import type { Driver } from '../../src/driver/driver.ts'
import { confinementProblems } from '../../src/execution/limits-applied.ts'
import { PROBE_IDS, selfTest } from '../../src/self-test/self-test.ts'
import { limits, SHELL, script } from '../support/execution.ts'
import { isRoot } from '../support/process-host.ts'
import { PROCESS_MUTATIONS, type ProcessMutation } from '../support/process-mutations.ts'
import { type KernelRecord, kernelRecord, recordDifferences } from '../support/sandbox-record.ts'
import { openWeakDriver, type ProcessWeakness } from '../support/weak-process-driver.ts'

/** Every mount of a sandbox but covers. */
const KNOWN = /^\/(isopod|workspace|tmp|dev|dev\/shm|proc|sys|sys\/fs\/cgroup(\/[a-z]+)?)?$/
const MINUTE = 60_000
/** Several tries, because on a busy host a program lacks processor time as if a quota held. */
const TRIES = 5
const DEPLOYMENT = `protections-${process.pid}`
const kind = kindOf(script(''))
let state: string
let roots: string
let drivers = 0
let right: KernelRecord
let version: Driver['facts']['cgroup']

async function withDriver<T>(weakness: ProcessWeakness, use: (driver: Driver) => Promise<T>): Promise<T> {
  const driver = await openWeakDriver(
    {
      ...{ roots, state, owner: `weak-${++drivers}`, deployment: DEPLOYMENT, reaperGraceMs: 0 },
      users: { first: 60_000, last: 60_255, gid: 65_534 },
    },
    weakness,
  )
  try {
    return await use(driver)
  } finally {
    await driver.close()
  }
}

async function withSandbox<T>(driver: Driver, use: (container: NewContainer) => T): Promise<T> {
  const purpose = { name: 'p', origin: 'made', job: 'j', attempt: 1, deadline: Date.now() + MINUTE } as const
  const container = await driver.make(kind, purpose, AbortSignal.timeout(MINUTE))
  try {
    return use(container)
  } finally {
    container.destroy()
  }
}

function recordOf({ id, user }: NewContainer): KernelRecord {
  const init = initOf(groupOf(id)?.read()?.processes ?? [])
  if (init === undefined) return { init: 'in no cgroup of processes' }
  return kernelRecord(init, user)
}

/** Runs one probe until it succeeds as an attack. */
async function probeSucceeds(driver: Driver, probe: string): Promise<string | undefined> {
  const { bytes } = await probeBinary(driver.facts.architecture)
  const containers = new FreshContainers(new ContainerMaker(driver), DEPLOYMENT)
  const kit = {
    probe: bytes,
    image: SHELL.image,
    name: DEPLOYMENT,
    runtime: 'isopod-spawner',
    ownProfile: true,
    users: 256,
  }
  for (let left = TRIES; left > 0; left--) {
    const { findings } = await selfTest({
      ...{ context: { containers }, kit, only: [probe] },
      signal: AbortSignal.timeout(MINUTE),
    })
    if (findings[0]?.verdict === 'succeeded') return findings[0].detail
  }
  return undefined
}

/** What notices a mutation, and how; undefined if nothing does. */
async function noticed(mutation: ProcessMutation): Promise<{ by: string; how: string } | undefined> {
  return await withDriver(mutation, async (driver) => {
    try {
      const found = await withSandbox(driver, (container) => {
        const { ready, user, hostLimits } = container
        const problems = confinementProblems(ready, limits(), user, hostLimits)
        if (problems.length > 0) return { by: 'read-back', how: problems.join('; ') }
        const differences = recordDifferences(recordOf(container), right)
        return { by: 'record', how: differences.join('; ') }
      })
      if (found.by === 'read-back' || !PROBE_IDS.includes(mutation.noticedBy))
        return found.how === '' ? undefined : found
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error
      return { by: 'start', how: error.message }
    }
    const detail = await probeSucceeds(driver, mutation.noticedBy)
    return detail === undefined ? undefined : { by: mutation.noticedBy, how: detail }
  })
}

// promise: process-driver
if (isRoot) describe('a process sandbox', onThisHost)
else it('a process sandbox', (context) => context.skip('only root has cgroups and users to give away'))

function onThisHost(): void {
  beforeAll(async () => {
    roots = await processRoots()
    state = await mkdtemp('/run/isopod-weak-')
    right = await withDriver({}, (driver) => {
      version = driver.facts.cgroup
      return withSandbox(driver, recordOf)
    })
  })

  afterAll(async () => {
    await rm(state, { recursive: true, force: true })
    expect(existsSync(state)).toBe(false)
  })

  // promise: made-as-asked
  it('is made as the worker asked, by the record of the host’s kernel', () => {
    expect(right).toMatchObject({
      ...Object.fromEntries(['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'].map((set) => [`Cap${set}`, '0'.repeat(16)])),
      ...Object.fromEntries(
        ['user', 'mnt', 'pid', 'ipc', 'uts', 'cgroup', 'net'].map((name) => [`namespace ${name}`, 'own']),
      ),
      ...{
        Uid: 'own own own own',
        Gid: '65534 65534 65534 65534',
        Groups: '',
        NoNewPrivs: '1',
        Seccomp: '2',
      },
      ...{ 'limit of core file size': '0 0', 'limit of msgqueue size': '0 0' },
      ...{ 'limit of open files': '256 256', 'limit of locked memory': '1048576 1048576' },
      interfaces: 'lo',
    })
    expect(right['environment']).toBe('')
    const mounts = Object.entries(right).flatMap(([name, value]) =>
      name.startsWith('mount ') ? [[name.slice('mount '.length), value] as const] : [],
    )
    const points = (is: (value: string) => boolean) =>
      mounts.flatMap(([point, value]) => (is(value) ? [point] : []))
    const covers = new Set([...MASKED_PATHS, ...READONLY_PATHS])
    const unknown = points(() => true).filter((point) => !KNOWN.test(point) && !covers.has(point))
    expect(unknown).toEqual([])
    expect(points((value) => !/\bnosuid\b/.test(value))).toEqual([])
    expect(points((value) => !/\bnodev\b/.test(value))).toEqual(['/dev'])
    expect(points((value) => /\brw,/.test(value)).sort()).toEqual(['/dev/shm', '/proc', '/tmp', '/workspace'])
    const sized = ([path, kib]: readonly [string, number]) => [
      `mount ${path}`,
      expect.stringContaining(`size=${kib}k,nr_inodes=${kib / 8},mode=700,uid=own,gid=65534`),
    ]
    const sizes = [
      ['/workspace', 49_152],
      ['/tmp', 16_384],
      ['/dev/shm', 16_384],
    ] as const
    expect(right).toMatchObject(Object.fromEntries(sizes.map(sized)))
  })

  it.for(PROCESS_MUTATIONS)('$protection, $to: noticed by $noticedBy', async (mutation, context) => {
    context.skip((mutation.version ?? version) !== version, 'the other version of cgroups has it')

    const found = await noticed(mutation)
    // For `npm run mutation`, which makes a table of them.
    const { protection, to, noticedBy, why } = mutation
    Object.assign(context.task.meta, { row: [protection, to, noticedBy, found?.how, why] })
    expect(found, JSON.stringify(found)).toMatchObject({ by: mutation.noticedBy })
  })
}
