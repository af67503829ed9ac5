import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { echoResult, until, useBench } from '../harness.ts'

const bench = useBench({ each: true })
/** Longer than the lock. */
const PAUSE_MS = 700
const PAUSES = 5

// promise: worker-deaths
test(
  'pauses of Redis that cost a job its lock are not the deaths of its worker',
  async () => {
    const { server, redis } = bench
    const producer = await bench.producer()
    let starts = 0
    const consumer = await bench.consumer(
      async (delivery, signal) => {
        starts += 1
        if (starts > PAUSES) return echoResult(delivery)
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        throw signal.reason
      },
      { lockDurationMs: 500, stalledIntervalMs: 150 },
    )
    consumer.run()
    const id = await bench.enqueue()
    const result = producer.waitForResult(id)
    onTestFinished(() => void process.kill(server.pid, 'SIGCONT'))
    for (let pause = 1; pause <= PAUSES; pause++) {
      await until(() => starts === pause, `start ${pause}`)
      // A start that is old enough to be noted is not blamed either, as its worker lives.
      if (pause === PAUSES)
        await until(async () => (await redis.hlen(bench.key('starts', id))) > 0, 'the note')
      process.kill(server.pid, 'SIGSTOP')
      await sleep(PAUSE_MS)
      process.kill(server.pid, 'SIGCONT')
    }
    expect(await result).toMatchObject({ status: 'success', attempt: PAUSES + 1, workerId: 'w1' })
  },
  scaled(60_000),
)
