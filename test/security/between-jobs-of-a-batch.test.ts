import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { JobInput, LimitsRequest, Result } from '@isopod/client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { program } from '../support/programs.ts'
import { RUNTIME } from '../support/runtime.ts'
import { startWorld, type World } from '../support/world.ts'
import { BETWEEN_JOBS, type BetweenJobs } from './manifest/between-jobs.ts'

const MIB = 1024 * 1024
const LANGUAGES: Readonly<Record<string, string>> = { '.py': 'python', '.sh': 'bash', '.c': 'c' }
/** A low limit of processes, so that a program can easily use up all of them, and more time than any needs on a busy host. */
const LIMITS = { processes: 40, cpus: 1, timeoutSeconds: 90 } as const
let world: World

beforeAll(async () => {
  // No exclusive retry after a timeout, because it would hold up all other jobs.
  world = await startWorld({ env: { ISOPOD_SLOTS: '8', ISOPOD_SECOND_RUN_SECONDS: '0' } })
})

afterAll(async () => {
  await world?.close()
})

// promise: batch-reuse
describe('within a batch a program tries to', () => {
  beforeEach((context) => context.skip(RUNTIME === 'runsc', 'gVisor reuses no container'))

  for (const attack of BETWEEN_JOBS) {
    const { tries, container } = attack
    it.concurrent(`${tries}; the container is ${container} (${attack.program})`, async () => {
      const alone = await runAlone(inventory(attack))

      const shared = { reuse: 'batch', batchId: attack.program } as const
      const attacked = await world.client.run({ ...attackOf(attack), ...shared })
      expect(attacked, attacked.stderr).toMatchObject(attack.must)
      const after = await world.client.run({ ...inventory(attack), ...shared })
      expect(after.containerOrigin === 'batch').toBe(container === 'reused')
      expectSame(after, alone)
      if (container === 'reused') return
      // The following jobs of the batch share the new container.
      const next = await world.client.run({ ...inventory(attack), ...shared })
      expect(next.containerOrigin).toBe('batch')
      expectSame(next, alone)
    })
  }
})

const runsAlone = new Map<string, Promise<Result>>()

/** The result of the inventory job in a new container; the same job runs only once. */
async function runAlone(job: JobInput): Promise<Result> {
  const key = JSON.stringify(job)
  const run = runsAlone.get(key) ?? world.client.run(job)
  runsAlone.set(key, run)
  const result = await run
  expect(result).toMatchObject({ status: 'success', stderr: '' })
  expect(result.containerOrigin).not.toBe('batch')
  return result
}

/** Expects the same result as in a new container, except for times. */
function expectSame(result: Result, alone: Result): void {
  const { status, exitCode, stdout, stderr, truncated, limitsApplied, outputBytes } = alone
  expect(result).toMatchObject({ status, exitCode, stdout, stderr, truncated, limitsApplied, outputBytes })
  // For a later run the kernel has only the peak of the largest process, which includes pages of the image.
  expect(result.memoryPeakBytes).toBeLessThan((alone.memoryPeakBytes ?? 0) + 12 * MIB)
  expect(result.processesPeak).toBeLessThanOrEqual((alone.processesPeak ?? 0) + 3)
}

function attackOf({ program: name, limits }: BetweenJobs): JobInput {
  const code = readFileSync(new URL(`corpus/between-jobs/${name}`, import.meta.url), 'utf8')
  return job(name, code, limits)
}

/** The inventory job: it prints everything that it finds in its container. */
function inventory({ program: name, limits }: BetweenJobs): JobInput {
  const files = { 'inventory.sh': { content: program('inventory.sh').code } } as const
  const { code } = program(`inventory${extname(name)}`)
  return {
    ...job(name, code, { ...limits, timeoutSeconds: LIMITS.timeoutSeconds }),
    ...(name.endsWith('.c') && { files }),
  }
}

function job(name: string, code: string, limits: LimitsRequest = {}): JobInput {
  return { language: LANGUAGES[extname(name)] ?? '', code, limits: { ...LIMITS, ...limits } }
}
