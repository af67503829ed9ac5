import {
  type Batch,
  type BatchOptions,
  type BatchSummary,
  meanPassAtK,
  type SampleResult,
} from '@isopod/client'
import type { JobInput, Result } from '@isopod/protocol'

/** A batch in memory: `answer` gives the result of each sample's job; a result that is not attributable counts as a fault. */
export function fakeBatch(options: BatchOptions, answer: (job: JobInput) => Result | Error): Batch {
  const results: SampleResult[] = []
  const tally = (outcome: string) => results.filter((one) => one.outcome === outcome).length
  const id = options.id ?? 'random'
  const progress = () => ({
    done: results.length,
    total: options.total,
    passed: tally('passed'),
    failed: tally('failed'),
    skipped: tally('skipped'),
    judgeErrors: results.filter(({ judgeError }) => judgeError).length,
    faults: tally('fault'),
    retriedFaults: 0,
    ratePerSecond: 2,
    etaSeconds: 3,
    passAt1: 0.5,
  })
  const summary = async (): Promise<BatchSummary> => {
    const problems = Map.groupBy(results, ({ problem }) => problem)
    const tallies = [...problems.values()].map((samples) => ({
      samples: samples.filter(({ outcome }) => outcome !== 'fault' && outcome !== 'excluded').length,
      passed: samples.filter(({ outcome }) => outcome === 'passed').length,
    }))
    const rate = (k: number) => {
      const estimate = meanPassAtK(tallies, k)
      return estimate === undefined
        ? null
        : { ...estimate, estimate: estimate.value, problems: tallies.length }
    }
    return {
      ...progress(),
      id,
      samples: results.length,
      problems: problems.size,
      solved: tallies.filter(({ passed }) => passed > 0).length,
      flawless: 0,
      passAt: Object.fromEntries((options.k ?? [1]).map((k) => [String(k), rate(k)])),
    }
  }
  async function* iterate(): AsyncGenerator<SampleResult> {
    for await (const sample of options.samples) {
      options.signal?.throwIfAborted()
      const result = answer(sample.job)
      if (result instanceof Error) throw result
      const passed = result.tests?.every(({ verdict }) => verdict === 'passed') ?? result.status === 'success'
      const judgeError = result.tests?.some(({ verdict }) => verdict === 'judge_error')
      const failed = judgeError && options.judgeErrors === 'exclude' ? 'excluded' : 'failed'
      const one: SampleResult = {
        id: sample.id,
        problem: sample.problem,
        outcome: result.attributable ? (passed ? 'passed' : failed) : 'fault',
        ...(judgeError && { judgeError }),
        result,
        retriedFaults: 0,
        resumed: false,
      }
      results.push(one)
      options.onProgress?.(progress())
      yield one
    }
  }
  return { id, progress, summary, [Symbol.asyncIterator]: iterate }
}
