// A thread that takes 10 s to start.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000)

export { threadTask } from './task-thread.ts'
