import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { Keys } from '../../src/redis/keys.ts'
import { sweepResults } from '../../src/results/sweep-results.ts'
import { useBench } from '../harness.ts'

const bench = useBench()
const HOURS_25_MS = 25 * 3_600_000
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))

/** Starts a client and a worker whose clock is shifted. */
async function startShifted(shiftMs: number) {
  const child = spawn(
    process.execPath,
    ['--import', fixture('shifted-clock.ts'), fixture('shifted-process.ts'), bench.url, bench.prefix],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, CLOCK_SHIFT_MS: String(shiftMs) } },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { child, report: JSON.parse(line) }
}

// promise: wrong-clock
test.for([
  ['ahead of', HOURS_25_MS],
  ['behind', -HOURS_25_MS],
] as const)('a client and a worker whose clock is 25 hours %s that of Redis', async ([word, shiftMs]) => {
  const producer = await bench.producer()
  const consumer = await bench.consumer()
  consumer.run()
  await producer.waitForResult(await bench.enqueue({ replyTo: 'theirs' }))
  await consumer.close()

  const { child, report } = await startShifted(shiftMs)
  const { waiting, oldestWaitingAgeSeconds, taken, complaints } = report
  const sentence = `the clock of this host is 90000 s ${word} that of Redis; nothing is taken from the queue until it is right`
  expect(complaints, 'worker and consumer of results say why they take nothing').toEqual([sentence, sentence])
  expect(taken).toEqual([])
  expect(oldestWaitingAgeSeconds).toBeLessThan(3600)
  expect(await producer.jobState(waiting)).toBe('waiting')
  // Neither its sweep nor that of another worker takes an undelivered result for an old one.
  await sweepResults(bench.redis, new Keys(bench.prefix), 86_400)
  const undelivered = (replyTo: string) => bench.redis.llen(bench.key(`results-${replyTo}`, 'wait'))
  expect([await undelivered('theirs'), await undelivered('mine')]).toEqual([1, 1])

  child.kill('SIGUSR2')
  expect(await producer.waitForResult(waiting)).toMatchObject({ workerId: 'shifted' })
  expect(await once(child, 'exit')).toEqual([0, null])
})
