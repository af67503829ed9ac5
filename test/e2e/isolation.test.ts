import { readlink } from 'node:fs/promises'
import { ExecutionLimits, type JobInput, type Result, sandboxProcessIsolation } from '@isopod/client'
import { IMAGES } from '@isopod/devstack'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { containersOf } from '../support/engine.ts'
import { processRoots } from '../support/process-roots.ts'
import { RUNTIME } from '../support/runtime.ts'
import { startWorld, type World } from '../support/world.ts'

const isRoot = process.getuid?.() === 0
/** Files in /proc/self/ns, by the names that results use. */
const FILES = {
  ...{ user: 'user', mount: 'mnt', pid: 'pid', ipc: 'ipc', uts: 'uts', cgroup: 'cgroup', network: 'net' },
} as const
const NAMES = Object.keys(FILES) as (keyof typeof FILES)[]
/** Prints each of these links of the program, a line each. */
const SHOW = `cd /proc/self/ns && readlink ${Object.values(FILES).join(' ')}`

let both: World
let strict: World

beforeAll(async () => {
  if (!isRoot) return
  const env = { ISOPOD_DRIVER: 'docker', ISOPOD_ROOTS_DIR: await processRoots([IMAGES.bash, IMAGES.python]) }
  ;[both, strict] = await Promise.all([
    startWorld({ env: { ...env, ISOPOD_MIN_ISOLATION: 'process' } }),
    startWorld({ env }),
  ])
})

afterAll(async () => {
  const left = await Promise.all(
    [both, strict].map(async (world) => {
      await world?.close()
      return world === undefined ? [] : await containersOf(world.dockerHost, world.prefix)
    }),
  )
  expect(left.flat()).toEqual([])
})

beforeEach((context) => context.skip(!isRoot, 'only root has cgroups and users to give away'))

function run(job: Omit<JobInput, 'code'> & { code?: string }, world = both): Promise<Result> {
  return world.client.run({ language: 'bash', code: 'true', ...job })
}

/** Those namespaces in which a program is not with this process, which runs on the worker's host. */
async function separateNamespaces({ stdout }: Result): Promise<string[]> {
  const found = stdout.trim().split('\n')
  const own = await Promise.all(NAMES.map((name) => readlink(`/proc/self/ns/${FILES[name]}`)))
  return NAMES.filter((_, at) => found[at] !== own[at])
}

// promise: isolation-choice, isolation-named
describe('a worker with both drivers', () => {
  it('runs a job that asks for nothing in a container, and one that asks for it in a process sandbox', async () => {
    const plain = await run({ code: 'id -u' })
    const chosen = await run({ code: 'id -u', isolation: 'process' })
    expect(plain).toMatchObject({ status: 'success', runtime: RUNTIME, isolation: { driver: 'docker' } })
    expect(chosen).toMatchObject({
      status: 'success',
      runtime: 'isopod-spawner',
      isolation: { driver: 'process', runtime: 'isopod-spawner' },
    })
    // Each driver has users of its own.
    const [dockerUser = 0, processUser = 0] = [plain, chosen].map(({ stdout }) =>
      Number(stdout.split('\n')[0]),
    )
    expect(60_000 <= dockerUser && dockerUser <= 60_127).toBe(true)
    expect(60_128 <= processUser && processUser <= 60_255).toBe(true)
  })

  it('names the namespaces of a program as its host sees them', async (context) => {
    context.skip(RUNTIME === 'runsc', 'gVisor shows the namespaces of its own kernel')
    for (const isolation of ['container', 'process'] as const) {
      const result = await run({ code: SHOW, isolation })
      expect(result.status).toBe('success')
      expect(await separateNamespaces(result)).toEqual(
        NAMES.filter((name) => result.isolation?.namespaces.includes(name)),
      )
    }
  })

  it('never mixes isolations in a batch, in the pool or among cached results', async () => {
    const shared = { reuse: 'batch', batchId: 'mixed' } as const
    const results: Result[] = []
    for (const isolation of ['process', 'container', 'process', 'container'] as const) {
      results.push(await run({ ...shared, isolation }))
    }
    expect(results.map(({ isolation }) => isolation?.driver)).toEqual([
      ...['process', 'docker', 'process', 'docker'],
    ])
    const origins = results.map(({ containerOrigin }) => containerOrigin)
    // gVisor reuses no container.
    expect(origins.slice(2)).toEqual(['batch', RUNTIME === 'runsc' ? expect.anything() : 'batch'])
    for (const [cached, isolation] of [
      [undefined, 'process'],
      [undefined, 'container'],
      [true, 'process'],
      [true, 'container'],
    ] as const) {
      const { cached: was, isolation: named } = await run({ code: 'echo cached', cache: true, isolation })
      expect([was, named?.driver]).toEqual([cached, isolation === 'process' ? 'process' : 'docker'])
    }
  })

  it('starts interpreters ahead, and judges test cases, in the isolation of the job', async () => {
    const code = 'import os; print(os.getuid() > 60127)'
    const process = { language: 'python', isolation: 'process' } as const
    expect(await run({ ...process, code, preload: true })).toMatchObject({
      ...{ status: 'success', stdout: 'True\n', preloaded: true, isolation: { driver: 'process' } },
    })
    // The checker accepts only if it runs as a user of the process driver.
    const checker = {
      type: 'program',
      language: 'bash',
      code: 'exit $(( $(id -u) > 60127 ? 42 : 43 ))',
    } as const
    const judged = await run({ ...process, code: 'print(1)', tests: [{ checker }] })
    expect(judged).toMatchObject({ status: 'success', isolation: { driver: 'process' } })
    expect(judged.tests).toMatchObject([{ verdict: 'passed' }])
  })

  it('serves sandbox_process_isolation() of the API document with a process sandbox', async () => {
    const { client } = both
    const { stdout, isolation } = await sandboxProcessIsolation('bash', 'echo hi', new ExecutionLimits(), {
      client,
    })
    expect(stdout).toBe('hi\n')
    expect(isolation).toEqual({
      ...{ isolated: true, method: 'process', runtime: 'isopod-spawner', fresh: true, network: false },
    })
  })
})

describe('a worker with the default minimum', () => {
  it('refuses a job that asks for less, and names the minimum', async () => {
    const minimum = RUNTIME === 'runsc' ? 'gvisor' : 'container'
    const refused = await run({ isolation: 'process' }, strict)
    expect(refused).toMatchObject({
      status: 'validation_error',
      errorMessage: `isolation: "process" isolates less than "${minimum}", the minimum here`,
    })
    expect('isolation' in refused).toBe(false)
    expect(await run({ isolation: minimum }, strict)).toMatchObject({ status: 'success', runtime: RUNTIME })
  })

  it('serves sandbox_process_isolation() of the API document with a container', async () => {
    const { client } = strict
    const { isolation } = await sandboxProcessIsolation('bash', 'true', new ExecutionLimits(), { client })
    expect(isolation).toMatchObject({ isolated: true, method: 'container', runtime: RUNTIME })
  })
})

it('a worker whose own isolation is below the minimum does not start', async () => {
  const env = { ISOPOD_DRIVER: 'process', ISOPOD_RUNTIME: '', ISOPOD_MIN_ISOLATION: 'container' }
  await expect(strict.addWorker(env)).rejects.toThrow(
    'ISOPOD_MIN_ISOLATION: must be at most "process", which jobs have here by default (isopod-spawner), got "container"',
  )
})
