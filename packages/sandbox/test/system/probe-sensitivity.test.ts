import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { probeBinary } from '@isopod/init'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { type CreateOptions, RewritingEngine } from '../../../../test/support/rewriting-engine.ts'
import { scaled } from '../../../../test/support/time-factor.ts'
import { ContainerMaker } from '../../src/acquire/container-maker.ts'
import { FreshContainers } from '../../src/acquire/fresh-containers.ts'
import { openDockerDriver } from '../../src/docker/open-docker-driver.ts'
import type { Driver } from '../../src/driver/driver.ts'
import type { ProbeFinding } from '../../src/self-test/finding.ts'
import { PROBE_IDS, selfTest } from '../../src/self-test/self-test.ts'
import { BrokenInits, canCompile } from '../support/broken-init.ts'
import { SHELL } from '../support/execution.ts'
import { UnsuspectingSource } from '../support/unsuspecting-source.ts'
import { type Weakness, weaknesses } from '../support/weaknesses.ts'

const DEPLOYMENT = `sensitivity-${process.pid}`
const FIRST_USER = 60_000
/** Number of user ids of a worker. */
const USERS = 256
/** Several tries, because on a busy host a program lacks CPU time as if a quota held. */
const TRIES = 10
/** As many as a worker runs at once: more would disturb each other's measurements. */
const PROBES_AT_ONCE = 4
let folder: string
let rewriting: RewritingEngine
let inits: BrokenInits
/** Drivers by their number of user ids for containers. */
const drivers = new Map<number, Promise<Driver>>()
/** Changes to the containers of a self-test, by its name. */
const changes = new Map<string, (options: CreateOptions) => void>()

vi.setConfig({ maxConcurrency: PROBES_AT_ONCE })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-sensitivity-'))
  inits = new BrokenInits(folder)
  rewriting = new RewritingEngine(
    join(folder, 'engine.sock'),
    inject('stack').dockerHost.replace('unix://', ''),
  )
  rewriting.rewrite = (options) => {
    const { 'isopod.job': job = '' } = options['Labels'] as Record<string, string>
    for (const [name, change] of changes) if (job.startsWith(name)) change(options)
  }
  await rewriting.open()
})

afterAll(async () => {
  for (const driver of drivers.values()) await (await driver).close()
  await rewriting?.close()
  await rm(folder, { recursive: true, force: true })
})

function driverWith(users: number): Promise<Driver> {
  const driver =
    drivers.get(users) ??
    openDockerDriver({
      address: rewriting.path,
      deployment: DEPLOYMENT,
      owner: DEPLOYMENT,
      users: { first: FIRST_USER, last: FIRST_USER + users - 1, gid: 65_534 },
      runtime: 'runc',
      allowOldRunc: true,
    })
  drivers.set(users, driver)
  return driver
}

/** Runs probes in containers with a weakness that only probes can notice. */
async function runProbes(
  probes: readonly string[],
  { change, init, users = USERS }: Partial<Weakness>,
): Promise<readonly ProbeFinding[]> {
  const source = init && (await inits.with(init))
  const driver = await driverWith(users)
  const name = `sensitivity-${randomBytes(6).toString('hex')}`
  changes.set(name, (options) => {
    change?.(options)
    if (source === undefined) return
    options.HostConfig['Mounts'] = [{ Type: 'bind', Source: source, Target: '/isopod', ReadOnly: true }]
  })
  const { bytes } = await probeBinary(driver.facts.architecture)
  const fresh = new FreshContainers(new ContainerMaker(driver), DEPLOYMENT)
  const { findings } = await selfTest({
    context: { containers: new UnsuspectingSource(fresh) },
    kit: { probe: bytes, image: SHELL.image, name, runtime: 'runc', ownProfile: true, users: USERS },
    signal: AbortSignal.timeout(scaled(60_000)),
    only: probes,
  })
  return findings
}

const ALL = weaknesses(tmpdir())

it('each probe has a weakness that it must notice', () => {
  expect([...new Set(ALL.map(({ probe }) => probe))].sort()).toEqual([...PROBE_IDS].sort())
})

it('each probe is held in a container without a weakness', async () => {
  const found = await runProbes(PROBE_IDS, {})
  expect(found.filter(({ verdict }) => verdict !== 'held')).toEqual([])
  expect(found).toHaveLength(PROBE_IDS.length)
})

// promise: self-test
for (const weakness of ALL) {
  const { probe, what, init } = weakness
  // Alone: other probes would take CPU time that this one must get too much of.
  const test = probe === 'cpu' ? it : it.concurrent
  test(`probe ${probe} succeeds in a container ${what}`, async (context) => {
    context.skip(init !== undefined && !canCompile, 'the changed init needs a C compiler')

    let found: ProbeFinding | undefined
    for (let left = TRIES; left > 0 && found?.verdict !== 'succeeded'; left--) {
      ;[found] = await runProbes([probe], weakness)
    }
    expect(found).toMatchObject({ verdict: 'succeeded', detail: expect.stringMatching(/./) })
  })
}
