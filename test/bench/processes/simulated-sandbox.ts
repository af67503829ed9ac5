import { availableParallelism, totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Execution, Outcome, Sandbox } from '@isopod/sandbox'

/** What a result of it has in the place of an image: proof that no container ran. */
export const SIMULATED = 'simulated'

/** How long each execution takes, in milliseconds. */
const MS = Number(process.env['BENCH_SANDBOX_MS'] ?? 0)
const NOTHING = { bytes: new Uint8Array(), produced: 0, truncated: false }

/** Stands in for `openSandbox` of a worker: executions that only take their time. */
export async function openSandbox(): Promise<Sandbox> {
  let running = 0
  return {
    facts: {
      version: '0',
      architecture: 'x64',
      cgroup: 2,
      cpus: availableParallelism(),
      memoryBytes: totalmem(),
      runtimes: ['runc'],
      defaultRuntime: 'runc',
      limitsSwap: true,
      users: 1,
      profiles: new Map(),
      ownProfile: true,
      warnings: [],
    },
    async run(execution, { signal } = {}) {
      running += 1
      try {
        if (MS > 0) await sleep(MS, undefined, signal && { signal })
        return outcomeOf(execution)
      } finally {
        running -= 1
      }
    },
    ping: async () => {},
    reap: async () => 0,
    digest: async () => SIMULATED,
    missingImages: async () => [],
    selfTest: async () => {
      throw new Error('nothing here can be attacked')
    },
    counts: () => ({ running, idle: 0, removing: 0, waiting: new Map() }),
    close: async () => {},
  }
}

/** A program that begins with `exit <n>` ends so, any other well. */
function outcomeOf({ limits, code }: Execution): Outcome {
  const exitCode = Number(/^exit (\d+)/.exec(code)?.[1] ?? 0)
  const { timeoutSeconds, cpuSeconds, memoryMb, cpus, processes, diskMb, outputBytes, openFiles } = limits
  return {
    status: exitCode === 0 ? 'success' : 'execution_error',
    exitCode,
    signal: null,
    limit: null,
    stdout: { bytes: Buffer.from('hello\n'), produced: 6, truncated: false },
    stderr: NOTHING,
    compileOutput: undefined,
    wallMs: MS,
    cpuUserMs: 0,
    cpuSysMs: 0,
    memoryPeakBytes: 0,
    processesPeak: 1,
    throttledMs: 0,
    resourceUsage: null,
    limitsApplied: {
      ...{ timeoutSeconds, cpuSeconds, memoryMb, cpus, processes, diskMb, outputBytes, openFiles },
      memorySwapMb: memoryMb,
    },
    errorMessage: null,
    container: { id: SIMULATED, imageDigest: SIMULATED, runtime: 'runc', origin: 'made', preloaded: false },
    timings: { acquire: 0, run: MS, collect: 0 },
  }
}
