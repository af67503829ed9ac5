import type { IsopodClient, JobEvent } from '@isopod/client'
import type { BenchCase } from '../bench.ts'
import { poolLevel, untilWorkerIdle } from '../measure/scrape.ts'
import { NAMES } from '../names.ts'

/** Number of lines that the program prints, with a pause before each. */
const LINES = 5
/** Prints the current time, as nanoseconds since 1970. Program and reader run on the same host. */
const CLOCK = `import time
for _ in range(${LINES}):
  time.sleep(0.1)
  print(time.time_ns(), flush=True)`

/** Time from a program's write to the reader of the job's events. */
export const firstByte: BenchCase = {
  name: 'first-byte',
  title: 'a program that prints the time: from its write until the reader of live events has it',
  async run(bench) {
    const client = await bench.stage.client()
    const worker = await bench.stage.worker()
    const level = await poolLevel(worker.url)
    await readLines(client)
    for (let job = 0; job < bench.size(20, 4); job += 1) {
      bench.signal.throwIfAborted()
      await untilWorkerIdle(worker.url, level, 300)
      for (const ms of await readLines(client)) {
        bench.book.add({ case: 'first-byte', contender: NAMES.live, metric: 'time', unit: 'ms' }, ms)
      }
    }
  },
}

/** Runs the program once and returns the milliseconds that each of its lines took. */
async function readLines(client: IsopodClient): Promise<number[]> {
  const id = await client.submit({ language: 'python', code: CLOCK, stream: true, replyTo: 'none' })
  const delays: number[] = []
  for await (const event of client.events(id)) delays.push(...delaysOf(event))
  if (delays.length !== LINES) throw new Error(`the program printed ${delays.length} of ${LINES} lines`)
  return delays
}

function delaysOf(event: JobEvent): number[] {
  if (event.type !== 'stdout') return []
  const now = performance.timeOrigin + performance.now()
  const lines = event.text.split('\n').filter((line) => line !== '')
  return lines.map((line) => now - Number(BigInt(line) / 1000n) / 1000)
}
