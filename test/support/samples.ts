import { DEFAULT_LIMITS, type Result } from '@isopod/protocol'
import type { Outcome, StreamOutput } from '@isopod/sandbox'

/** An output stream that was not truncated. */
export function sampleStream(text = ''): StreamOutput {
  const bytes = Buffer.from(text)
  return { bytes, produced: bytes.byteLength, truncated: false }
}

/** The outcome of a program that succeeded and printed nothing. */
export function sampleOutcome(changes: Partial<Outcome> = {}): Outcome {
  const { onOverflow: _, ...applied } = DEFAULT_LIMITS
  return {
    status: 'success',
    exitCode: 0,
    signal: null,
    limit: null,
    stdout: sampleStream(),
    stderr: sampleStream(),
    compileOutput: undefined,
    wallMs: 1,
    cpuUserMs: 1,
    cpuSysMs: 1,
    memoryPeakBytes: 1,
    processesPeak: 1,
    throttledMs: 0,
    resourceUsage: null,
    limitsApplied: { ...applied, memorySwapMb: 256 },
    errorMessage: null,
    container: {
      ...{ id: 'c', imageDigest: 'sha256:x', runtime: 'runc', origin: 'made', preloaded: false },
      isolation: { driver: 'docker', namespaces: ['mount', 'pid'], cgroup: 2 },
    },
    timings: { acquire: 1, run: 1, collect: 1 },
    ...changes,
  }
}

/** The result of a job that succeeded and printed "hello". */
export function sampleResult(changes: Partial<Result> = {}): Result {
  return {
    id: 'j-1',
    status: 'success',
    exitCode: 0,
    signal: null,
    limit: null,
    stdout: 'hello\n',
    stderr: '',
    truncated: { stdout: false, stderr: false },
    outputBytes: { stdout: 6, stderr: 0 },
    wallMs: 45,
    cpuUserMs: 20,
    cpuSysMs: 4,
    memoryPeakBytes: 380 * 1024,
    processesPeak: 1,
    throttledMs: 0,
    resourceUsage: null,
    limitsApplied: null,
    timings: { queued: 1, policy: 0, acquire: 2, run: 45, collect: 1, publish: 1 },
    warnings: [],
    validationErrors: [],
    errorMessage: null,
    attributable: true,
    attempt: 1,
    workerId: 'w-1',
    language: 'python@3.13',
    imageDigest: null,
    runtime: 'runc',
    tenant: 'default',
    ...changes,
  }
}

/** A result with every optional field. */
export function sampleFullResult(changes: Partial<Result> = {}): Result {
  return sampleResult({
    raw: { stdout: '/w==', stderr: '/w==' },
    files: { 'plot.png': { content: 'AAE=', encoding: 'base64' } },
    compileOutput: 'warning',
    resourceUsage: {
      executionTimeSeconds: 1,
      memoryStartMb: 1,
      memoryPeakMb: 1,
      cpuSamples: 1,
      cpuAveragePercent: 1,
      cpuPeakPercent: 1,
    },
    limitsApplied: {
      timeoutSeconds: 1,
      cpuSeconds: null,
      memoryMb: 16,
      memorySwapMb: null,
      cpus: 1,
      processes: 1,
      diskMb: 1,
      outputBytes: 1,
      openFiles: 16,
      outside: { limits: ['cpus'], source: 'kernel' },
    },
    policy: { mode: 'warn', rules: 'standard', checked: true },
    isolation: { driver: 'process', runtime: 'isopod-spawner', namespaces: ['user', 'mount'], cgroup: 2 },
    containerOrigin: 'made',
    preloaded: true,
    flaky: true,
    cached: true,
    cachedFrom: 'j-2',
    batchId: 'b',
    tests: [
      {
        name: '1',
        verdict: 'passed',
        exitCode: 0,
        signal: null,
        wallMs: 1,
        cpuMs: 1,
        memoryPeakBytes: 1,
        diff: null,
        flaky: true,
        suspicious: 'x',
      },
    ],
    summary: { passed: 1, total: 1, score: 1, status: 'success', flaky: 1 },
    ...changes,
  })
}
