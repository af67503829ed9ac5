import { setTimeout as sleep } from 'node:timers/promises'
import type { JobInput, Result } from '@isopod/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scaled } from '../support/time-factor.ts'
import { startWorld, type World } from '../support/world.ts'

/** How long a job may wait for its second run. */
const WAIT_SECONDS = 2
const LIMIT_SECONDS = 4

let world: World

beforeAll(async () => {
  world = await startWorld({
    // More processors than the host has, so that executions compete for them.
    env: { ISOPOD_SLOTS: '8', ISOPOD_CPUS: '64', ISOPOD_SECOND_RUN_SECONDS: String(WAIT_SECONDS) },
  })
})

afterAll(async () => {
  await world?.close()
})

/** Never ends and uses the processor for 40 % of its time, like a program that gets too little processor time. */
const LAZY = `import time
while True:
    until = time.process_time() + 0.04
    while time.process_time() < until: pass
    time.sleep(0.06)`
const FORK_BOMB = `bomb() { bomb | bomb & }
bomb
while true; do :; done`
const limits = { timeoutSeconds: LIMIT_SECONDS, cpus: 1, memoryMb: 64, processes: 32 }
const attacks: readonly JobInput[] = [
  ...Array.from({ length: 5 }, () => ({ language: 'python', code: LAZY })),
  { language: 'bash', code: FORK_BOMB },
].map((job) => ({ ...job, limits, tenant: 'attacker' }))

/** A result and how long the client waited for it. */
async function timed(job: JobInput): Promise<{ readonly result: Result; readonly ms: number }> {
  const started = performance.now()
  const result = await world.client.run(job)
  return { result, ms: performance.now() - started }
}

async function counted(name: string): Promise<number> {
  const text = await fetch(`${world.workers[0]?.url}/metrics`).then((response) => response.text())
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.slice(name.length + 1) ?? 0)
}

// promise: second-run-bounds
describe('programs that seem to get too little processor time', () => {
  it('delay no other tenant by their exclusive second runs, and run at most twice', {
    timeout: scaled(240_000),
  }, async () => {
    let over = false
    const attacking = Promise.all(attacks.map(timed)).finally(() => {
      over = true
    })
    const hellos: Awaited<ReturnType<typeof timed>>[] = []
    while (!over) {
      hellos.push(await timed({ language: 'bash', code: 'echo hello', tenant: 'other' }))
      await sleep(500)
    }
    const attacked = await attacking

    expect(hellos.map(({ result }) => result.stdout)).toEqual(hellos.map(() => 'hello\n'))
    // No job of the other tenant waited for a second run.
    const runMs = LIMIT_SECONDS * 1_000
    expect(Math.max(...hellos.map(({ ms }) => ms))).toBeLessThan(runMs)
    expect(attacked.map(({ result }) => result.status)).toEqual(attacked.map(() => 'timeout'))
    // At most the first run, a wait that is shorter than a run, and the second run.
    expect(Math.max(...attacked.map(({ ms }) => ms))).toBeLessThan(3 * runMs)
    // Second runs were requested, and took no longer than a tenant's hourly share.
    const [made = 0, ...refused] = await Promise.all(
      ['made', 'denied', 'yielded', 'given_up'].map((outcome) =>
        counted(`isopod_second_runs_total{outcome="${outcome}"}`),
      ),
    )
    const notMade = refused.reduce((sum, count) => sum + count, 0)
    expect(made + notMade).toBeGreaterThan(0)
    expect(await counted('isopod_second_run_seconds_total')).toBeLessThan(46)
    // Without a second run the timeout remains in doubt, so the result has a warning.
    const warned = attacked.filter(({ result }) =>
      result.warnings.some((each) => each.startsWith('contended:')),
    )
    expect(warned).toHaveLength(notMade)
  })
})
