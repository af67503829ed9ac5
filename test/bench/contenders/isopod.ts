import type { IsopodClient, JobInput, Result } from '@isopod/client'
import { NAMES } from '../names.ts'
import type { WorkerKind } from '../stage.ts'
import type { Contender, Program, Run } from './contender.ts'

/** A mode in which Isopod runs jobs. */
export interface Mode {
  readonly name: string
  readonly preload: boolean
  readonly reuse: 'never' | 'batch'
  readonly worker: WorkerKind
  /** Where scripts run. @default the product's */
  readonly separation?: 'process' | 'none'
}

/** Cores of a shared container, so that a job need not wait for quota that the previous one used. */
const SHARED_CPUS = 1

const BATCH = { reuse: 'batch', worker: 'docker' } as const

/** All modes with containers of an engine. */
export const MODES: readonly Mode[] = [
  { name: NAMES.fresh, preload: false, reuse: 'never', worker: 'docker' },
  { name: NAMES.freshPreload, preload: true, reuse: 'never', worker: 'docker' },
  { name: NAMES.batch, preload: false, reuse: 'batch', worker: 'docker' },
  { name: NAMES.batchPreload, preload: true, reuse: 'batch', worker: 'docker' },
]

/** Modes with process sandboxes. */
export const PROCESS_MODES: readonly Mode[] = [
  { name: NAMES.process, preload: false, reuse: 'never', worker: 'process' },
  { name: NAMES.processWithoutPool, preload: false, reuse: 'never', worker: 'process without pool' },
  { name: NAMES.processPreload, preload: true, reuse: 'never', worker: 'process' },
  { name: NAMES.processBatch, preload: false, reuse: 'batch', worker: 'process' },
]

/** Modes for code with scripts: judge and code in containers of their own, which jobs of the batch reuse, or in one process. */
export const SCRIPT_MODES: readonly Mode[] = [
  { ...BATCH, name: NAMES.batchSplit, preload: false, separation: 'process' },
  { ...BATCH, name: NAMES.batchSplitPreload, preload: true, separation: 'process' },
  {
    ...{ ...BATCH, worker: 'process', name: NAMES.processBatchSplit },
    ...{ preload: true, separation: 'process' },
  },
  { ...BATCH, name: NAMES.batchOneProcess, preload: true, separation: 'none' },
]

/** A contender whose jobs a worker of Isopod runs. */
export interface IsopodContender extends Contender {
  readonly worker: { readonly url: string; readonly pid: number }
}

/** Isopod in one of its modes, through the public client. `settle` waits until the worker is idle. */
export function isopod(
  client: IsopodClient,
  mode: Mode,
  batchId: string,
  { worker, settle }: Pick<IsopodContender, 'worker' | 'settle'>,
): IsopodContender {
  return {
    name: mode.name,
    worker,
    run: async (program) => runOf(await client.run(jobOf(program, mode, batchId))),
    runAll: async (programs) => {
      const ids = await client.submitMany(programs.map((program) => jobOf(program, mode, batchId)))
      return await Promise.all(ids.map(async (id) => runOf(await client.wait(id))))
    },
    settle,
  }
}

function jobOf(program: Program, { preload, reuse, separation }: Mode, batchId: string): JobInput {
  const { language, code, script, outputBytes } = program
  const limits = {
    ...(outputBytes !== undefined && { outputBytes }),
    ...(reuse === 'batch' && { cpus: SHARED_CPUS }),
  }
  const tests = script !== undefined && { tests: [{ script }], separation }
  return { language, code, ...tests, limits, preload, reuse, ...(reuse === 'batch' && { batchId }) }
}

function runOf(result: Result): Run {
  const { status, stdout, stderr, errorMessage, truncated, wallMs } = result
  if (status !== 'success' || truncated.stdout) {
    throw new Error(`a job ended with ${status}: ${errorMessage ?? 'output was cut'} ${stderr.slice(-500)}`)
  }
  const failed = result.tests?.find(({ verdict }) => verdict !== 'passed')
  if (failed !== undefined) throw new Error(`a test case ended with ${failed.verdict}: ${failed.diff}`)
  const cpuMs = (result.cpuUserMs ?? 0) + (result.cpuSysMs ?? 0)
  const { containerOrigin: origin, preloaded, timings: steps } = result
  return { stdout, origin, preloaded, ownMs: wallMs ?? undefined, steps, cpuMs }
}
