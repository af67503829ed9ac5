import type { Progress } from '@isopod/client'
import { describe, expect, it } from 'vitest'
import { startGradeProgress } from '../src/grade/grade-progress.ts'
import { recorder } from './support.ts'

function progress(changes: Partial<Progress>): Progress {
  const counts = { passed: 0, failed: 0, skipped: 0, judgeErrors: 0, faults: 0, retriedFaults: 0 }
  return { ...counts, done: 5, total: 10, ratePerSecond: 2, etaSeconds: 2.5, passAt1: 0.5, ...changes }
}

describe('the progress of a batch', () => {
  it('is printed every ten seconds and at the end without a terminal', () => {
    let now = 0
    const { stream, text } = recorder()
    const shown = startGradeProgress(stream, 10, () => now)
    for (let done = 1; done <= 10; done++) {
      now += 4_000
      shown.show(progress({ done }))
    }
    shown.show(progress({ done: 10 }))
    shown.stop()
    expect(text()).toBe(
      ['3/10', '6/10', '9/10', '10/10']
        .map((part) => `${part} · pass@1 50.0 % · 2.0/s · eta 0:03\n`)
        .join(''),
    )
  })

  it('is a bar on a terminal, with counts of faults, retries and skipped samples', () => {
    const { stream, text } = recorder({ isTTY: true })
    const shown = startGradeProgress(stream, 10)
    shown.show(progress({ faults: 1, retriedFaults: 2, skipped: 3, etaSeconds: 3_725, passAt1: undefined }))
    shown.stop()
    expect(text()).toContain('5/10 · 2.0/s · eta 1:02:05 · 3 skipped · 1 fault · 2 run again')
  })
})
