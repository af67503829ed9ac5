import { parseJob } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { type Entry, jobFingerprint, keyedJobId, type Producer } from '../../src/index.ts'
import { echoResult, until, useBench } from '../harness.ts'

const bench = useBench()

const ROUNDS = Array.from({ length: 40 }, (_, round) => round)

/** A job under an idempotency key, which differs from other jobs by its code. */
function keyed(idempotencyKey: string, code: string): Entry {
  const job = parseJob({ code, idempotencyKey })
  return { id: keyedJobId(job.tenant, idempotencyKey), job, fingerprint: jobFingerprint(job) }
}

/** The outcome of a submit, or the code of its error. */
function outcome(producer: Producer, entries: readonly Entry[]): Promise<unknown> {
  return producer.enqueue(entries).catch((error: { code?: unknown }) => error.code)
}

test('a list that is refused takes no key from a submit that races with it', async () => {
  const [one, other] = await Promise.all([bench.producer(), bench.producer()])
  await one.enqueue([keyed('used', 'first')])
  for (const round of ROUNDS) {
    const refused = [keyed(`k${round}`, 'a'), keyed('used', 'second')]
    const submits = [outcome(one, refused), outcome(other, [keyed(`k${round}`, 'a')])]
    expect(await Promise.all(submits)).toEqual(['idempotency_conflict', ['enqueued']])
    expect(await outcome(one, [keyed(`k${round}`, 'b')])).toBe('idempotency_conflict')
  }
})

// promise: idempotency
test('of two different jobs under one key exactly one is enqueued, also in lists that share several keys', async () => {
  const producers = await Promise.all([bench.producer(), bench.producer()])
  for (const round of ROUNDS) {
    const outcomes = await Promise.all(
      producers.map((producer, index) => {
        const names = index === 0 ? ['x', 'y'] : ['y', 'x']
        return outcome(
          producer,
          names.map((name) => keyed(`${name}${round}`, `${index}`)),
        )
      }),
    )
    expect(outcomes).toContain('idempotency_conflict')
    expect(outcomes).toContainEqual(['enqueued', 'enqueued'])
  }
})

test('of equal submits that race exactly one has enqueued the job, which runs once', async () => {
  const producers = await Promise.all([bench.producer(), bench.producer()])
  const ran: string[] = []
  const consumer = await bench.consumer(async (delivery) => {
    ran.push(delivery.id)
    return echoResult(delivery)
  })
  consumer.run()
  const ids = await Promise.all(
    ROUNDS.map(async (round) => {
      const entry = keyed(`k${round}`, 'a')
      const outcomes = await Promise.all(producers.map((producer) => outcome(producer, [entry])))
      expect(outcomes.flat().sort()).toEqual(['enqueued', 'existing'])
      await producers[0]?.waitForResult(entry.id)
      return entry.id
    }),
  )
  await until(async () => (await consumer.stats()).active === 0)
  expect(ran.sort()).toEqual(ids.sort())
})

test('a submit that died before its job existed holds its key for ten minutes against other jobs only', async () => {
  const producer = await bench.producer()
  const [job, otherJob] = [keyed('k', 'a'), keyed('k', 'b')]
  const key = bench.key('fingerprint', job.id)
  const die = (secondsAgo: number) => bench.redis.set(key, job.fingerprint ?? '', 'EX', 86_400 - secondsAgo)
  await die(590)
  expect(await outcome(producer, [otherJob])).toBe('idempotency_conflict')
  await die(610)
  expect(await outcome(producer, [otherJob])).toEqual(['enqueued'])
  expect(await outcome(producer, [job])).toBe('idempotency_conflict')
})

test.each([0, 610])(
  'a job whose submit died %i s ago without enqueueing it is enqueued',
  async (secondsAgo) => {
    const producer = await bench.producer()
    const entry = keyed('k', 'a')
    await bench.redis.set(
      bench.key('fingerprint', entry.id),
      entry.fingerprint ?? '',
      'EX',
      86_400 - secondsAgo,
    )
    await producer.enqueue([entry])
    expect(await producer.jobState(entry.id)).toBe('waiting')
    expect(await outcome(producer, [keyed('k', 'b')])).toBe('idempotency_conflict')
  },
)
