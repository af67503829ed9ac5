import type { Entry } from '../attack.ts'

const IN_VAIN = { status: 'success', exitCode: 0 } as const

/** Files, their names and attributes, output, and what compilers make. */
export const DISK_AND_OUTPUT: readonly Entry[] = [
  {
    program: 'disk-deep-folders.py',
    tries: 'build a tree too deep to be removed',
    source: 'own',
    must: IN_VAIN,
    proof: ['containment', 'worker'],
  },
  {
    program: 'disk-long-names.sh',
    tries: 'fill folders with long names and lock them',
    source: 'own',
    must: { runc: IN_VAIN, runsc: { status: ['success', 'memory_exceeded', 'timeout'] } },
    proof: ['containment'],
  },
  {
    program: 'disk-attributes.py',
    tries: 'store in attributes what does not fit in files',
    source: 'own',
    must: { status: ['success', 'memory_exceeded'] },
    proof: ['containment'],
  },
  {
    program: 'disk-many-files.js',
    tries: 'use up all inodes',
    source: 'own',
    // gVisor does not count them.
    must: { runc: IN_VAIN, runsc: { status: ['memory_exceeded', 'timeout'] } },
    proof: ['containment'],
  },
  {
    program: 'file-locks.py',
    tries: 'hold two million locks on one file',
    source: 'own',
    limits: { timeoutSeconds: 2 },
    must: { status: ['success', 'timeout', 'memory_exceeded'] },
    proof: ['containment'],
  },
  {
    program: 'output-byte-by-byte.c',
    tries: 'make the worker busy with 300,000 single bytes',
    source: 'own',
    // A system call costs more under gVisor.
    must: { runc: IN_VAIN, runsc: { status: ['success', 'timeout'] } },
    proof: ['worker', 'result'],
  },
  {
    program: 'output-of-all-bytes.js',
    tries: 'flood both streams with bytes that are no text',
    source: 'own',
    limits: { memoryMb: 512, cpus: 2 },
    must: IN_VAIN,
    proof: ['worker', 'containment'],
  },
  {
    program: 'output-after-the-end.py',
    tries: 'go on printing after its end',
    source: 'own',
    must: IN_VAIN,
    proof: ['containment', 'result'],
  },
  {
    program: 'read-the-disk-again.c',
    tries: "have the host's disk read a file of the image again: by advice, past the page cache",
    source: 'own',
    must: IN_VAIN,
    proof: ['result'],
  },
  {
    program: 'output-by-many.sh',
    tries: 'print from forty processes at once',
    source: 'SandboxFusion hangs on more than 200 KB',
    limits: { timeoutSeconds: 1 },
    must: { status: 'timeout', limit: 'timeout' },
    proof: ['worker', 'containment'],
  },
  {
    program: 'core-dump.c',
    tries: 'leave a core file of its memory',
    source: 'own',
    must: { status: 'execution_error', signal: 'SIGABRT' },
    proof: ['containment', 'processes'],
  },
  {
    program: 'compile-without-end.c',
    tries: 'keep the compiler busy with text that grows tenfold seven times',
    source: 'own',
    limits: { timeoutSeconds: 3 },
    must: { status: ['compile_error', 'memory_exceeded'] },
    proof: ['containment', 'worker'],
  },
  {
    program: 'compile-to-a-huge-file.c',
    tries: 'have the compiler write a gigabyte',
    source: 'own',
    must: { status: ['compile_error', 'memory_exceeded'] },
    proof: ['containment'],
  },
  {
    program: 'include-an-endless-file.c',
    tries: 'have the compiler read a file without end',
    source: 'own',
    must: { status: ['compile_error', 'memory_exceeded'] },
    proof: ['containment'],
  },
]
