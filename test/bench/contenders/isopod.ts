import type { IsopodClient, JobInput, Result } from '@isopod/client'
import { NAMES } from '../names.ts'
import type { Contender, Program, Run } from './contender.ts'

/** A mode in which Isopod runs jobs. */
export interface Mode {
  readonly name: string
  readonly preload: boolean
  readonly reuse: 'never' | 'batch'
}

/** Cores of a shared container, so that a job need not wait for quota that the previous one used. */
const SHARED_CPUS = 1

/** All modes. */
export const MODES: readonly Mode[] = [
  { name: NAMES.fresh, preload: false, reuse: 'never' },
  { name: NAMES.freshPreload, preload: true, reuse: 'never' },
  { name: NAMES.batch, preload: false, reuse: 'batch' },
  { name: NAMES.batchPreload, preload: true, reuse: 'batch' },
]

/** Isopod in one of its modes, through the public client. `settle` waits until the worker is idle. */
export function isopod(
  client: IsopodClient,
  mode: Mode,
  batchId: string,
  settle: () => Promise<void>,
): Contender {
  return {
    name: mode.name,
    run: async (program) => runOf(await client.run(jobOf(program, mode, batchId))),
    runAll: async (programs) => {
      const ids = await client.submitMany(programs.map((program) => jobOf(program, mode, batchId)))
      return await Promise.all(ids.map(async (id) => runOf(await client.wait(id))))
    },
    settle,
  }
}

function jobOf(program: Program, { preload, reuse }: Mode, batchId: string): JobInput {
  const { language, code, outputBytes } = program
  const limits = {
    ...(outputBytes !== undefined && { outputBytes }),
    ...(reuse === 'batch' && { cpus: SHARED_CPUS }),
  }
  return { language, code, limits, preload, reuse, ...(reuse === 'batch' && { batchId }) }
}

function runOf(result: Result): Run {
  const { status, stdout, stderr, errorMessage, truncated, wallMs } = result
  if (status !== 'success' || truncated.stdout) {
    throw new Error(`a job ended with ${status}: ${errorMessage ?? 'output was cut'} ${stderr.slice(-500)}`)
  }
  const cpuMs = (result.cpuUserMs ?? 0) + (result.cpuSysMs ?? 0)
  const { containerOrigin: origin, preloaded, timings: steps } = result
  return { stdout, origin, preloaded, ownMs: wallMs ?? undefined, steps, cpuMs }
}
