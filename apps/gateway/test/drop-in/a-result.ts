import type { Result } from '@isopod/protocol'

/** A result of a program that printed «hello», and how it differs. */
export function aResult(changes: Partial<Result> = {}): Result {
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
