/** From a program that prints one line to the longest that a job may ask for. */
export const JOB_SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
/** Calls to an engine: tens of milliseconds when it is well. */
export const CALL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** Stages from a pool hit below a millisecond to a program's whole time. */
export const PHASE_SECONDS = [0.001, 0.0025, ...CALL_SECONDS, 60, 300]
/** 1 MiB to the largest memory limit. */
export const MEMORY_BYTES = [1, 4, 8, 16, 32, 64, 128, 256, 512, 1024].map((mib) => mib * 1024 * 1024)
