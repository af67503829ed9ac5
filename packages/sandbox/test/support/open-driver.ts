import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, expect, inject } from 'vitest'
import { processRoots } from '../../../../test/support/process-roots.ts'
import { DRIVER } from '../../../../test/support/runtime.ts'
import { openDockerDriver } from '../../src/docker/open-docker-driver.ts'
import type { Driver } from '../../src/driver/driver.ts'
import type { SandboxEvent } from '../../src/driver/sandbox-events.ts'
import { openProcessDriver } from '../../src/process/open-process-driver.ts'
import type { SandboxRecord } from '../../src/process/records.ts'

/** Options of a driver that specs open. */
export interface TestDriverOptions {
  readonly deployment: string
  readonly owner: string
  readonly observe?: (event: SandboxEvent) => void
  /** Images that process sandboxes need as roots. @default bash */
  readonly images?: readonly string[]
}

let state: Promise<string> | undefined

/** Opens the driver that `ISOPOD_DRIVER` names. Its file calls {@link expectNoRecords}. */
export async function openTestDriver({ images, ...options }: TestDriverOptions): Promise<Driver> {
  const users = { first: 60_000, last: 60_255, gid: 65_534 }
  const { dockerHost: address } = inject('stack')
  if (DRIVER === 'docker') return await openDockerDriver({ ...options, users, address, allowOldRunc: true })
  state ??= mkdtemp('/run/isopod-spec-')
  return await openProcessDriver({ ...options, users, roots: await processRoots(images), state: await state })
}

/**
 * Fails the calling file if it leaves records of process sandboxes. Call it before setting other hooks: the first `afterAll` runs
 * last, after the drivers are closed.
 */
export function expectNoRecords(): void {
  afterAll(async () => {
    if (state === undefined) return
    const path = await state
    // Other files of this process have a directory of their own.
    state = undefined
    // Sockets of spawners belong to drivers, which are closed by now.
    const records = (await readdir(`${path}/records`)).filter((name) => !name.endsWith('.sock'))
    await rm(path, { recursive: true, force: true })
    expect(records).toEqual([])
  })
}

/** A container as the host sees it: with its engine, or by the records of process sandboxes. */
export interface HostContainer {
  readonly id: string
  readonly inPool: boolean
}

/** The containers of a deployment's workers, or of one of them. */
export async function containersOf(deployment: string, owner?: string): Promise<HostContainer[]> {
  if (DRIVER === 'process') return await recorded(owner)
  const label = owner === undefined ? `isopod.deployment=${deployment}` : `isopod.owner=${owner}`
  const format = '{{.ID}} {{.Names}}'
  const text = await docker('ps', '-a', '--no-trunc', '--filter', `label=${label}`, '--format', format)
  return text.split('\n').flatMap((line) => {
    const [id = '', name = ''] = line.split(' ')
    return id === '' ? [] : [{ id, inPool: name.startsWith('isopod-pool-') }]
  })
}

/** Ends containers from outside. @param how an engine can also remove them; without one, both are the same */
export async function endContainers(ids: readonly string[], how: 'kill' | 'remove'): Promise<void> {
  if (DRIVER === 'docker') {
    await docker(...(how === 'kill' ? ['kill'] : ['rm', '--force']), ...ids)
    return
  }
  for (const id of ids) {
    const { cgroup } = await recordOf(id)
    const [directory] = Object.values(cgroup)
    const processes = readFileSync(`${directory}/cgroup.procs`, 'utf8').split('\n').filter(Boolean)
    for (const pid of processes) process.kill(Number(pid), 'SIGKILL')
  }
  // An engine answers when they have ended. Here the spawner has to tell the worker first, which then removes their records.
  const isLeft = (id: string) => recordOf(id).then(() => true, ifGone)
  await expect.poll(async () => await Promise.all(ids.map(isLeft))).not.toContain(true)
}

async function recorded(owner: string | undefined): Promise<HostContainer[]> {
  if (state === undefined) return []
  const ids = (await readdir(`${await state}/records`)).filter((name) => /^[0-9a-f]{64}$/.test(name))
  const records = await Promise.all(ids.map(async (id) => ({ id, ...(await recordOf(id).catch(ifGone)) })))
  return records
    .filter((record) => 'owner' in record)
    .filter((record) => !record.isSpare && (owner === undefined || record.owner === owner))
    .map(({ id, job }) => ({ id, inPool: job === '' }))
}

/** A sandbox can be removed after its name was read. */
function ifGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function recordOf(id: string): Promise<SandboxRecord> {
  return JSON.parse(readFileSync(`${await state}/records/${id}`, 'utf8')) as SandboxRecord
}

async function docker(...args: string[]): Promise<string> {
  const env = { ...process.env, DOCKER_HOST: inject('stack').dockerHost }
  const { stdout } = await promisify(execFile)('docker', args, { env })
  return stdout.trim()
}
