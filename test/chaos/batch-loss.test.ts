import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { BatchSummary } from '@isopod/client'
import { afterEach, expect, it } from 'vitest'
import { SIMULATED_LAUNCHER, simulatedSettings } from '../bench/cases/simulated.ts'
import { startWorld, type World } from '../support/world.ts'

const PRODUCER = fileURLToPath(new URL('processes/batch-producer.ts', import.meta.url))

interface Line {
  readonly sample?: string
  readonly outcome?: string
  readonly jobId?: string
  readonly resumed?: boolean
  readonly summary?: BatchSummary
}

let world: World | undefined
let producers: ChildProcess[] = []

afterEach(async () => {
  for (const producer of producers) producer.kill('SIGKILL')
  producers = []
  await world?.close()
  world = undefined
})

/** A producer in its own process, the lines that it has printed so far, and its end. */
function produce(of: World, each: number, problems: number, language: string) {
  const args = [PRODUCER, of.redisUrl, of.prefix, 'nightly', String(each), String(problems), language]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  producers.push(child)
  const lines: Line[] = []
  const input = createInterface({ input: child.stdout })
  input.on('line', (line) => lines.push(JSON.parse(line) as Line))
  const over = Promise.all([once(child, 'exit'), once(input, 'close')])
  /** Resolves when that many samples are finished. */
  const reported = async (count: number) => {
    while (lines.length < count && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { child, lines, over, reported }
}

/** Checks that the lines hold each sample once, with the verdict that its program has. */
function expectVerdicts(lines: readonly Line[], each: number, problems: number): void {
  const outcomes = new Map(lines.flatMap(({ sample, outcome }) => (sample ? [[sample, outcome]] : [])))
  expect(lines.filter(({ sample }) => sample !== undefined).length).toBe(each * problems)
  expect(outcomes.size).toBe(each * problems)
  const wrong = [...outcomes].filter(([sample, outcome]) => {
    const [problem = 0, n = 0] = sample.split('/').map(Number)
    return outcome !== (n % problems < problem ? 'passed' : 'failed')
  })
  expect(wrong).toEqual([])
  expect(new Set(lines.flatMap(({ jobId }) => jobId ?? [])).size).toBe(each * problems)
}

// promise: batch-resume
it('of thousands of samples none is lost or doubled when the producer and a worker are killed in the middle', async () => {
  const [each, problems] = [50, 40]
  const env = simulatedSettings(20, 8)
  world = await startWorld({ workers: 2, env, launcher: SIMULATED_LAUNCHER })
  const first = produce(world, each, problems, 'bash')
  await first.reported(500)
  first.child.kill('SIGKILL')
  await first.over
  const reported = first.lines.length
  expect([reported >= 500, reported < each * problems]).toEqual([true, true])

  const second = produce(world, each, problems, 'bash')
  await second.reported(1200)
  const victim = world.workers[0]?.process.pid
  if (victim === undefined) throw new Error('no worker')
  process.kill(victim, 'SIGKILL')
  await second.over

  expectVerdicts(second.lines, each, problems)
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
  // A run without a kill gives the same numbers: of problem p, 50 samples in rounds of 40, the first p of each pass.
  const passes = Array.from(
    { length: problems },
    (_, problem) => problem + Math.min(problem, each - problems),
  )
  expect(summary?.passed).toBe(passes.reduce((sum, count) => sum + count, 0))
  expect(summary?.passAt['1']?.estimate).toBeCloseTo(
    passes.reduce((sum, count) => sum + count / each, 0) / problems,
    10,
  )
})

// promise: batch-resume
it('the same holds with programs in containers', async () => {
  const [each, problems] = [8, 4]
  world = await startWorld({ workers: 2, env: { ISOPOD_SLOTS: '2', ISOPOD_POOL_SIZE: '0' } })
  const first = produce(world, each, problems, 'bash')
  await first.reported(8)
  first.child.kill('SIGKILL')
  await first.over
  const second = produce(world, each, problems, 'bash')
  await second.over
  expectVerdicts(second.lines, each, problems)
  expect(second.lines.at(-1)?.summary).toMatchObject({ samples: 32, faults: 0 })
})
