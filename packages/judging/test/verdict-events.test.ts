import type { Verdict } from '@isopod/protocol'
import { expect, it } from 'vitest'
import type { JudgedRun } from '../src/judged-run.ts'
import { onceForEachVerdict, reportTest } from '../src/verdict-events.ts'

function run(index: number, verdict: Verdict, starved = false): JudgedRun {
  const figures = { exitCode: 0, signal: null, wallMs: 1, cpuMs: 1, memoryPeakBytes: 1, diff: null }
  const result = { name: `test ${index}`, verdict, ...figures }
  return { index, result, status: 'success', starved, exclusive: false }
}

function listener() {
  const reported: [number, Verdict][] = []
  const onVerdict = onceForEachVerdict((index, { verdict }) => reported.push([index, verdict]))
  return { reported, onVerdict }
}

it('verdict events report a repeated test case with its worst verdict', () => {
  const { reported, onVerdict } = listener()
  const runs = [run(0, 'wrong_answer'), run(1, 'passed'), run(1, 'runtime_error'), run(1, 'passed')]
  reportTest(1, runs, onVerdict)
  expect(reported).toEqual([[1, 'runtime_error']])
})

it('verdict events report a test case with a starved run only after its repetition', () => {
  const { reported, onVerdict } = listener()
  reportTest(0, [run(0, 'passed'), run(0, 'timeout', true)], onVerdict)
  expect(reported).toEqual([])
})

it('verdict events report a verdict again only if it has changed', () => {
  const { reported, onVerdict } = listener()
  for (const verdict of ['passed', 'passed', 'wrong_answer'] as const) onVerdict(0, run(0, verdict).result)
  expect(reported.map(([, verdict]) => verdict)).toEqual(['passed', 'wrong_answer'])
})
