import type { Verdict } from '@isopod/protocol'
import { expect, it } from 'vitest'
import { liveVerdicts, type OnVerdict, tellTest } from '../../src/tests/live-verdicts.ts'
import type { JudgedRun } from '../../src/tests/second-run.ts'

function run(index: number, verdict: Verdict, starved = false): JudgedRun {
  const figures = { exitCode: 0, signal: null, wallMs: 1, cpuMs: 1, memoryPeakBytes: 1, diff: null }
  const result = { name: `test ${index}`, verdict, ...figures }
  return { index, result, status: 'success', starved, alone: false }
}

function listener() {
  const told: [number, string, Verdict][] = []
  const live = {
    test: (...verdict: [number, string, Verdict]) => void told.push(verdict),
    running: () => {},
    output: () => {},
    cut: () => {},
  }
  return { told, onVerdict: liveVerdicts(live) as OnVerdict }
}

it('tells of many runs of a test the worst', () => {
  const { told, onVerdict } = listener()
  const runs = [run(0, 'wrong_answer'), run(1, 'passed'), run(1, 'runtime_error'), run(1, 'passed')]
  tellTest(1, runs, onVerdict)
  expect(told).toEqual([[1, 'test 1', 'runtime_error']])
})

it('tells nothing of a test that is to run again', () => {
  const { told, onVerdict } = listener()
  tellTest(0, [run(0, 'passed'), run(0, 'timeout', true)], onVerdict)
  expect(told).toEqual([])
})

it('tells a verdict again only if it has changed', () => {
  const { told, onVerdict } = listener()
  for (const verdict of ['passed', 'passed', 'wrong_answer'] as const) onVerdict(0, run(0, verdict).result)
  expect(told.map(([, , verdict]) => verdict)).toEqual(['passed', 'wrong_answer'])
})

it('has nobody to tell for a job that did not ask', () => {
  expect(liveVerdicts(undefined)).toBeUndefined()
})
