import { expect, it } from 'vitest'
import { findingsOf } from '../findings.ts'
import { chaosPage } from '../report/page.ts'
import { type ChaosReport, withLaterRun } from '../report/report.ts'
import { chaosTable, chaosText } from '../report/table.ts'
import type { FaultOutcome } from '../run-fault.ts'

const OUTCOME: FaultOutcome = {
  ...{ fault: 'redis-killed', title: 'SIGKILL to Redis', jobs: 205, seconds: 20 },
  ...{ recoverySeconds: 1.25, lastResultSeconds: 4 },
  ...{ lost: ['a has no result'], doubled: [], wrong: [], left: ['key jobs:a'], repeated: 0 },
}
const REPORT: ChaosReport = {
  ...{ seed: 7, jobsPerFault: 200, allFaults: 2, seconds: 1800 },
  ...{ date: '2030-01-02', commit: 'abc', machine: 'a processor, 2 cores' },
  outcomes: [OUTCOME],
  notMade: [{ fault: 'other', reason: 'no engine' }],
}

it('the table has a row for each fault, and names those that could not be made', () => {
  expect(chaosTable(REPORT)).toContain(
    '| `redis-killed` | SIGKILL to Redis | 205 | 1 | 0 | 0 | 1 | 1.3 s | 4.0 s |',
  )
  expect(chaosTable(REPORT)).toContain('- `other` could not be made: no engine')
})

it('the text shows each finding', () => {
  for (const part of ['✗ redis-killed', 'a has no result', 'key jobs:a', '1 of 2 faults, seed 7, 30 min']) {
    expect(chaosText(REPORT)).toContain(part)
  }
})

it('a recovery that takes too long or never comes is a finding', () => {
  const sound = { ...OUTCOME, lost: [], left: [] }
  expect(findingsOf(sound)).toEqual([])
  expect(findingsOf({ ...sound, recoverySeconds: 20.5 })).toEqual([
    'the first result after the fault took 20.5 s',
  ])
  expect(findingsOf({ ...sound, recoverySeconds: undefined })).toEqual(['no result came after the fault'])
})

it('the page says which run it is of, and only a run of all faults with all jobs is whole', () => {
  const whole = { ...REPORT, outcomes: [OUTCOME, { ...OUTCOME, fault: 'other' }], notMade: [] }
  const page = chaosPage(whole, 200)
  expect(page).toContain(
    'All 2 faults in one run, at least 200 jobs each, 410 together, in 30 min: 4 findings.',
  )
  expect(page).toContain('Seed 7, commit abc, 2030-01-02, a processor, 2 cores.')
  expect(page).not.toContain('Not a whole run')
  expect(chaosPage(REPORT, 200)).toContain('**Not a whole run**: 1 of 2 faults')
  expect(chaosPage({ ...whole, jobsPerFault: 40 }, 200)).toContain('**Not a whole run**: 2 of 2 faults')
})

it('faults that were made again replace their rows, and the page says so', () => {
  const other = { ...OUTCOME, fault: 'other' }
  const again = {
    ...REPORT,
    outcomes: [{ ...other, lost: [], left: [] }],
    notMade: [],
    seed: 8,
    commit: 'def',
  }
  const merged = withLaterRun(REPORT, again, ['other', 'redis-killed'])
  expect(merged.outcomes.map(({ fault }) => fault)).toEqual(['other', 'redis-killed'])
  const page = chaosPage(merged, 200)
  expect(page).toContain('All 2 faults, at least 200 jobs each, 410 together, in 30 min: 2 findings.')
  expect(page).toContain('Made again later, in a run of their own: `other` (seed 8, commit def, 2030-01-02).')
  expect(page).not.toContain('could not be made')
  const twice = withLaterRun(merged, { ...again, seed: 9 }, ['other', 'redis-killed'])
  expect(twice.later).toEqual([{ faults: ['other'], seed: 9, date: '2030-01-02', commit: 'def' }])
})
