import { existsSync, readFileSync } from 'node:fs'
import { DEFAULT_LIMITS } from '@isopod/protocol'
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { RUNTIME } from '../support/runtime.ts'
import { SOAK } from '../support/soak.ts'
import { startWorld, type World } from '../support/world.ts'

const MIB = 1024 * 1024
const SAMPLE_MS = 20
/** A program that makes ever more objects may not end by itself; most have their maximum after one second. */
const TIMEOUT_SECONDS = SOAK ? 20 : 6
/** Attempts per kind, because other programs of the host use kernel memory too. A real excess shows in each attempt. */
const TRIES = 5
/**
 * Allowed kernel memory beyond the memory limit: growth between two checks of init, per-processor page caches, and other load
 * of the host. Each program stops at 1200 MiB.
 */
const SLACK = 256 * MIB

const CGROUP = existsSync('/sys/fs/cgroup/cgroup.controllers') ? 2 : 1
/** Kinds of memory that cgroups of this version do not count, so init must end the program. */
const ENDED_BY_INIT =
  CGROUP === 1
    ? ['connections unread', 'connections unaccepted', 'datagrams']
    : ['connections unaccepted and closed']

const source = (name: string) => readFileSync(new URL(`kernel-memory/${name}`, import.meta.url), 'utf8')
const code = source('hoard.c')
const ALL_KINDS = [...code.matchAll(/^ {4}\{"([^"]+)"/gm)].map(([, kind = '']) => kind)
/** The kernel counts all others in the same way: without the soak, every third shows that. */
const KINDS = ALL_KINDS.filter((kind, index) => SOAK || ENDED_BY_INIT.includes(kind) || index % 3 === 0)
const files = Object.fromEntries(
  ['hoard.h', 'sockets.h', 'objects.h'].map((name) => [name, { content: source(name) }]),
)

const onThisHost = inject('stack').dockerHost.startsWith('unix://') && RUNTIME === 'runc'
let world: World
const table: string[] = []

beforeEach((context) => context.skip(!onThisHost, "the containers do not run on this host's kernel"))

beforeAll(async () => {
  if (onThisHost) world = await startWorld({ env: { ISOPOD_SLOTS: '1', ISOPOD_POOL_SIZE: '0' } })
})

afterAll(async () => {
  if (table.length > 0)
    console.log(`memory in MiB beside a limit of ${DEFAULT_LIMITS.memoryMb}:\n${table.join('\n')}`)
  await world?.close()
})

/** Bytes of the host's memory that the kernel uses, including tmpfs. */
function kernelBytes(): number {
  const fields = new Map<string, number>()
  for (const [, name = '', kilobytes] of readFileSync('/proc/meminfo', 'utf8').matchAll(
    /^(.+?): +(\d+) kB$/gm,
  )) {
    fields.set(name, Number(kilobytes) * 1024)
  }
  const sum = (...names: string[]) => names.reduce((bytes, name) => bytes + (fields.get(name) ?? 0), 0)
  return sum('MemTotal', 'Shmem') - sum('MemFree', 'Active', 'Inactive', 'Unevictable', 'SReclaimable')
}

/** Runs the program for one kind of objects, and measures by how much the kernel's memory grew. */
async function hoard(kind: string) {
  await eventually(world.containers, (left) => left.length === 0)
  const before = kernelBytes()
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, kernelBytes())
  }, SAMPLE_MS)
  const limits = { cpus: 2, timeoutSeconds: TIMEOUT_SECONDS }
  const result = await world.client
    .run({ language: 'c', code, files, stdin: `${kind}\n`, limits })
    .finally(() => clearInterval(timer))
  return { result, lost: most - before }
}

// promise: host-memory
it.each(KINDS)('%s cost the host no more than the job’s memory limit and a stated slack', async (kind) => {
  let least = Number.POSITIVE_INFINITY
  for (let left = TRIES; left > 0 && least > DEFAULT_LIMITS.memoryMb * MIB + SLACK; left--) {
    const { result, lost } = await hoard(kind)
    expect(['success', 'memory_exceeded', 'execution_error', 'timeout'], result.errorMessage ?? '').toContain(
      result.status,
    )
    least = Math.min(least, lost)
    if (ENDED_BY_INIT.includes(kind)) expect(result.status).toBe('memory_exceeded')
    const shown = [lost, result.memoryPeakBytes ?? 0].map((bytes) => Math.round(bytes / MIB))
    table.push(`${kind}: host ${shown[0]}, cgroup ${shown[1]}, ${result.status} ${result.stdout.trim()}`)
  }
  expect(least / MIB).toBeLessThanOrEqual(DEFAULT_LIMITS.memoryMb + SLACK / MIB)
})
