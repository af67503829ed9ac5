import type { Done } from '@isopod/init'
import type { ProgramReport } from '../../src/program/run-program.ts'
import { SampleSummary } from '../../src/program/sample-summary.ts'

const stream = { bytes: new Uint8Array(), produced: 0, truncated: false }
/** Init's done frame of a successful run. */
const done: Done = {
  exitCode: 0,
  signal: null,
  wallMs: 10,
  cpuUserMs: 1,
  cpuSysMs: 1,
  maxRssBytes: 1,
  memoryStartBytes: 1,
  memoryPeakBytes: 64 * 1024 * 1024,
  oomKills: 0,
  processesPeak: 1,
  forkFailures: 0,
  throttledMs: 0,
  stdoutBytes: 0,
  stderrBytes: 0,
  stdoutTruncated: false,
  stderrTruncated: false,
  limit: null,
  killed: false,
  spawnError: null,
}

/** The report of a successful run, with changes. */
export function report(changes: Partial<Done>): ProgramReport {
  return {
    done: { ...done, ...changes },
    lost: undefined,
    stdout: stream,
    stderr: stream,
    samples: new SampleSummary(),
    memoryLimitBytes: 512 * 1024 * 1024,
    elapsedMs: 10,
  }
}

/** The report of a run whose container ended before init reported. */
export function lost(reason: ProgramReport['lost']): ProgramReport {
  return { ...report({}), done: undefined, lost: reason }
}
