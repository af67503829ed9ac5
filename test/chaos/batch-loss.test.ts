import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { BatchSummary } from '@isopod/client'
import { expect, it, onTestFinished } from 'vitest'
import { SIMULATED_LAUNCHER, simulatedSettings } from '../bench/cases/simulated.ts'
import { expireLocks, killWorker } from '../support/crash.ts'
import { startWorld, type World } from '../support/world.ts'

const PRODUCER = fileURLToPath(new URL('processes/batch-producer.ts', import.meta.url))

interface Line {
  readonly sample?: string
  readonly outcome?: string
  readonly jobId?: string
  readonly resumed?: boolean
  readonly summary?: BatchSummary
}

/** Starts a producer in its own process. Returns the process, its output so far as parsed lines, and a promise of its end. */
function produce(world: World, ...numbers: number[]) {
  const args = [PRODUCER, world.redisUrl, world.prefix, 'nightly', ...numbers.map(String)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: Line[] = []
  const input = createInterface({ input: child.stdout })
  input.on('line', (line) => lines.push(JSON.parse(line) as Line))
  const ended = Promise.all([once(child, 'exit'), once(input, 'close')])
  const untilFinished = async (samples: number) => {
    while (lines.length < samples && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { child, lines, ended, untilFinished }
}

/** Expects that the lines hold each sample once, with the verdict that its program must get. */
async function expectVerdicts(world: World, lines: readonly Line[], each: number, problems: number) {
  const finished = lines.filter(({ sample }) => sample !== undefined)
  expect(finished.length).toBe(each * problems)
  expect(new Set(finished.map(({ sample }) => sample)).size).toBe(each * problems)
  expect(new Set(finished.map(({ jobId }) => jobId)).size).toBe(each * problems)
  const wrong = finished.filter(({ sample = '', outcome }) => {
    const [problem = 0, n = 0] = sample.split('/').map(Number)
    return outcome !== (n % problems < problem ? 'passed' : 'failed')
  })
  expect(await Promise.all(wrong.map(({ jobId = '' }) => world.client.result(jobId)))).toEqual([])
}

// promise: batch-resume
it('a batch of 1,000 samples loses and duplicates none when the producer and a worker are killed in the middle', async () => {
  const [each, problems] = [40, 25]
  const env = simulatedSettings(20, 8)
  const world = await startWorld({ workers: 2, env, launcher: SIMULATED_LAUNCHER })
  onTestFinished(() => world.close())
  const first = produce(world, each, problems, 300)
  await first.ended
  expect(first.lines.length).toBe(300)

  const second = produce(world, each, problems)
  await second.untilFinished(600)
  await killWorker(world)
  await expireLocks(world)
  await second.ended

  await expectVerdicts(world, second.lines, each, problems)
  const resumed = new Map(second.lines.map((line) => [line.sample, line]))
  for (const { sample, outcome, jobId } of first.lines) {
    expect(resumed.get(sample)).toEqual({ sample, outcome, jobId, resumed: true })
  }
  const { summary } = second.lines.at(-1) ?? {}
  expect(summary).toMatchObject({
    samples: each * problems,
    problems,
    faults: 0,
    skipped: 0,
    retriedFaults: 0,
  })
  // The numbers of an undisturbed run: sample n of problem p passes if n modulo the number of problems is less than p.
  const passes = Array.from(
    { length: problems },
    (_, problem) => Array.from({ length: each }, (__, n) => n % problems).filter((n) => n < problem).length,
  )
  expect(summary?.passed).toBe(passes.reduce((sum, count) => sum + count, 0))
  expect(summary?.passAt['1']?.estimate).toBeCloseTo(
    passes.reduce((sum, count) => sum + count / each, 0) / problems,
    10,
  )
})
