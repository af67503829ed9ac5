// Results with large outputs: `large-outputs.ts KIND URL PREFIX COUNT`. With the kind `apart` the output is the program's, which the
// queue stores apart; with `whole` it is in a field that stays in the result, as all outputs did before. Nobody takes the results. Prints
// one JSON object: bytes that Redis needs for them, the longest time in which it answered nothing, and the whole time, in seconds.
// With the kind `ping` it measures these pauses, until its stdin ends.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseJob } from '@isopod/protocol'
import { newJobId, openConsumer, openProducer, unexecutedJobResult } from '@isopod/queue'
import { Redis } from 'ioredis'

const OUTPUT_BYTES = 10 * 1024 * 1024
/** Bytes of a line: a counter, and as many random digits. */
const LINE_BYTES = 32

const [kind = '', url = '', prefix = '', count = ''] = process.argv.slice(2)
const redis = new Redis(url.replace(/^redis\+unix:\/\//, ''))
if (kind === 'ping') await ping()
else console.log(JSON.stringify(await measure(Number(count))))
process.exit(0)

/** In a process of its own, because large results keep this one busy. */
async function ping(): Promise<void> {
  let isOver = false
  const ended = text(process.stdin).then(() => {
    isOver = true
  })
  let longest = 0
  while (!isOver) {
    const sent = performance.now()
    await redis.ping()
    longest = Math.max(longest, performance.now() - sent)
    await sleep(1)
  }
  await ended
  console.log(longest / 1000)
}

async function measure(jobs: number) {
  const pinger = spawn(process.execPath, [fileURLToPath(import.meta.url), 'ping', url], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const output = outputOf()
  const producer = await openProducer({ url, prefix })
  const consumer = await openConsumer({ url, prefix, workerId: 'bench' })
  const before = await usedMemory()
  const started = performance.now()
  const entries = Array.from({ length: jobs }, () => ({
    id: newJobId(),
    job: parseJob({ code: 'print("hello")', replyTo: 'unread' }),
  }))
  await producer.enqueue(entries)
  consumer.run({
    concurrency: 4,
    handle: async ({ id, attempt }) => ({
      ...unexecutedJobResult({ id, status: 'setup_error', errorMessage: '', attempt, workerId: 'bench' }),
      ...(kind === 'apart' ? { stdout: output } : { errorMessage: output }),
    }),
    giveUp: ({ id, attempt }, cause) =>
      unexecutedJobResult({
        id,
        status: 'setup_error',
        errorMessage: cause.message,
        attempt,
        workerId: 'bench',
      }),
  })
  while ((await redis.llen(`{${prefix}}:results-unread:wait`)) < jobs) await sleep(20)
  const seconds = (performance.now() - started) / 1000
  const bytes = (await usedMemory()) - before
  pinger.stdin.end()
  const pause = Number(await text(pinger.stdout))
  await consumer.close()
  await producer.close()
  return { bytes, pause, seconds }
}

/** Text that compresses as logs do. */
function outputOf(): string {
  const lines = OUTPUT_BYTES / LINE_BYTES
  const digits = randomBytes(lines * 8).toString('hex')
  return Array.from({ length: lines }, (_, at) => {
    const line = `line ${String(at).padStart(9, '0')} ${digits.slice(at * 16, at * 16 + 16)}`
    return `${line.slice(0, LINE_BYTES - 1)}\n`
  }).join('')
}

async function usedMemory(): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
}
