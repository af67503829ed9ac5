import { Queue } from 'bullmq'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { Keys } from '../../src/redis/keys.ts'
import { JOBS_QUEUE } from '../../src/redis/queue-options.ts'
import { type TenantRules, writeTenantRules } from '../../src/tenants/tenant-rules.ts'
import { Turns } from '../../src/tenants/turns.ts'
import { useBench } from '../harness.ts'

const bench = useBench()

/** Weights of the simulated tenants. */
const WEIGHTS = [1, 1, 2, 3] as const
const TENANTS = WEIGHTS.map((_, at) => `t${at}`)

interface Waiting {
  readonly tenant: number
  /** Place in the order of arrival. */
  readonly arrival: number
  /** Jobs of the same tenant that waited when it arrived, and were thus ahead of it. */
  readonly ahead: number
  /** Jobs of each tenant that were served since. */
  readonly overtakenBy: number[]
}

/** A queue that serves as BullMQ does, by priority and then by arrival, with the turns of the real script. */
class Schedule {
  static #count = 0
  readonly #keys = new Keys(`${bench.prefix}-${Schedule.#count++}`)
  readonly #jobs = new Queue(JOBS_QUEUE, { connection: bench.redis, prefix: this.#keys.tag })
  readonly #turns = new Turns({ redis: bench.redis, keys: this.#keys, jobs: this.#jobs })
  waiting: Waiting[] = []
  #arrivals = 0

  async start(startTurn: number): Promise<void> {
    const rules: TenantRules = Object.fromEntries(TENANTS.map((name, at) => [name, { weight: WEIGHTS[at] }]))
    await writeTenantRules(bench.redis, this.#keys, rules)
    if (startTurn > 1)
      await bench.redis.hset(this.#keys.turnClock, { now: startTurn, taken: 1, added: 0, at: 1e12 })
  }

  async submit(tenant: number, count: number): Promise<void> {
    const job = { tenant: TENANTS[tenant] ?? '', priority: 0 }
    const requests = Array.from({ length: count }, () => ({ id: `j${this.#arrivals++}`, job }))
    const taken = await this.#turns.take(requests)
    for (const { id, turn: priority } of taken) {
      const arrival = Number(id.slice(1))
      const ahead = this.waiting.filter((other) => other.tenant === tenant).length
      this.waiting.push({ tenant, arrival, ahead, overtakenBy: WEIGHTS.map(() => 0) })
      const place = await bench.redis.incr(this.#keys.jobs('id'))
      await bench.redis.hset(this.#keys.job(id), 'priority', priority)
      await bench.redis.zadd(this.#keys.jobs('prioritized'), priority * 2 ** 32 + place, id)
    }
    await this.#turns.settle(taken)
  }

  async serve(): Promise<Waiting | undefined> {
    const [id] = await bench.redis.zpopmin(this.#keys.jobs('prioritized'))
    const served = this.waiting.find(({ arrival }) => `j${arrival}` === id)
    this.waiting = this.waiting.filter((other) => other !== served)
    if (served === undefined) return undefined
    for (const other of this.waiting) {
      const count = other.overtakenBy[served.tenant] ?? 0
      other.overtakenBy[served.tenant] = count + 1
    }
    return served
  }
}

const steps = fc.array(
  fc.oneof(
    fc.record({ tenant: fc.nat({ max: 3 }), count: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ serve: fc.integer({ min: 1, max: 12 }) }),
  ),
  { minLength: 5, maxLength: 40 },
)

/** Runs a schedule until nothing waits, and calls back for each served job. */
async function run(
  startTurn: number,
  history: typeof steps extends fc.Arbitrary<infer T> ? T : never,
  onServed: (served: Waiting, waiting: readonly Waiting[]) => void,
): Promise<void> {
  const schedule = new Schedule()
  await schedule.start(startTurn)
  const serve = async () => {
    const served = await schedule.serve()
    if (served !== undefined) onServed(served, schedule.waiting)
    return served !== undefined
  }
  for (const step of history) {
    if ('serve' in step) for (let n = 0; n < step.serve; n++) await serve()
    else await schedule.submit(step.tenant, step.count)
  }
  while (await serve());
}

// promise: fair-turns
test('no job is overtaken by more jobs of another tenant than their weights allow, however many arrive', {
  timeout: scaled(60_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      await run(1, history, (served) => {
        const own = WEIGHTS[served.tenant] ?? 1
        for (const [tenant, weight] of WEIGHTS.entries()) {
          if (tenant === served.tenant) continue
          // One round for each own job ahead of it, its own round, one that has begun, and one for jobs that were submitted alone.
          const rounds = served.ahead / own + 3
          expect(served.overtakenBy[tenant]).toBeLessThanOrEqual(Math.ceil(rounds * weight) + weight)
        }
      })
    }),
    { numRuns: 25 },
  )
})

test('while two tenants have work, what they get differs from their weights by no more than three rounds', {
  timeout: scaled(60_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const served = new Map<string, [number, number]>()
      await run(1, history, ({ tenant }, waiting) => {
        const hasWork = (one: number) => waiting.some((other) => other.tenant === one)
        for (const [one] of WEIGHTS.entries()) {
          for (let other = 0; other < one; other++) {
            const pair = `${one} ${other}`
            const counts = served.get(pair) ?? [0, 0]
            if (tenant === one) counts[0] += 1 / (WEIGHTS[one] ?? 1)
            if (tenant === other) counts[1] += 1 / (WEIGHTS[other] ?? 1)
            if (hasWork(one) && hasWork(other)) {
              served.set(pair, counts)
              expect(Math.abs(counts[0] - counts[1])).toBeLessThan(4.001)
            } else served.delete(pair)
          }
        }
      })
    }),
    { numRuns: 25 },
  )
})

test('all jobs are served where turns begin to share priorities, each tenant in its order', {
  timeout: scaled(60_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.constantFrom(2 ** 20 - 5, 2 ** 20 + 2 ** 23 - 20, 2 ** 40),
      async (history, start) => {
        const last = WEIGHTS.map(() => -1)
        let served = 0
        await run(start, history, ({ tenant, arrival }) => {
          served += 1
          expect(arrival).toBeGreaterThan(last[tenant] ?? 0)
          last[tenant] = arrival
        })
        expect(served).toBe(history.reduce((sum, step) => sum + ('count' in step ? step.count : 0), 0))
      },
    ),
    { numRuns: 15 },
  )
})

test('turns start again when nothing waits, and jobs on their way from producers keep theirs', async () => {
  const keys = new Keys(bench.prefix)
  const jobs = new Queue(JOBS_QUEUE, { connection: bench.redis, prefix: keys.tag })
  const turns = new Turns({ redis: bench.redis, keys, jobs })
  const request = (tenant: string) => ({ id: 'j', job: { tenant, priority: 0 } })
  // Nothing was added yet: 500 submits at once must not get the same turn.
  const taken = await Promise.all(Array.from({ length: 500 }, () => turns.take([request('a')])))
  expect(taken.flat().map(({ turn }) => turn)).toEqual(Array.from({ length: 500 }, (_, at) => at + 1))
  expect((await turns.take([request('b')]))[0]?.turn).toBe(1)
  // All were added and taken.
  await bench.redis.set(keys.jobs('id'), 501)
  expect((await turns.take([request('a'), request('a')]))[0]?.turn).toBe(1)
})
