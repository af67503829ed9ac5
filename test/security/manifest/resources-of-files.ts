import type { Entry } from '../attack.ts'

/** The program was refused what it asked for, and ran to its end. */
const NORMAL_EXIT = { status: 'success', exitCode: 0 } as const

/** Attempts to exhaust disk, output or compiler: by files, names, attributes, locks, streams and includes. */
export const DISK_AND_OUTPUT: readonly Entry[] = [
  {
    program: 'disk-deep-folders.py',
    tries: 'make a folder tree too deep to be removed',
    source: 'own',
    must: NORMAL_EXIT,
    proof: ['containment', 'worker'],
  },
  {
    program: 'disk-long-names.sh',
    tries: 'fill folders with long names and take away their permissions',
    source: 'own',
    must: { runc: NORMAL_EXIT, runsc: { status: ['success', 'memory_exceeded', 'timeout'] } },
    proof: ['containment'],
  },
  {
    program: 'disk-attributes.py',
    tries: 'store data in extended attributes, which the disk limit may not count',
    source: 'own',
    must: { status: ['success', 'memory_exceeded'] },
    proof: ['containment'],
  },
  {
    program: 'disk-many-files.js',
    tries: 'use up all inodes',
    source: 'own',
    // gVisor does not count inodes.
    must: { runc: NORMAL_EXIT, runsc: { status: ['memory_exceeded', 'timeout'] } },
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
    tries: 'keep the worker busy with 300,000 writes of one byte',
    source: 'own',
    // A system call takes longer under gVisor, so the timeout can come first.
    must: { runc: NORMAL_EXIT, runsc: { status: ['success', 'timeout'] } },
    proof: ['worker', 'result'],
  },
  {
    program: 'output-of-all-bytes.js',
    tries: 'flood both output streams with bytes that are not UTF-8',
    source: 'own',
    limits: { memoryMb: 512, cpus: 2 },
    must: NORMAL_EXIT,
    proof: ['worker', 'containment'],
  },
  {
    program: 'output-after-the-end.py',
    tries: 'go on printing from a child after its own end',
    source: 'own',
    must: NORMAL_EXIT,
    proof: ['containment', 'result'],
  },
  {
    program: 'read-the-disk-again.c',
    tries: "have the host's disk read a file of the image again, past the page cache",
    source: 'own',
    must: NORMAL_EXIT,
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
    tries: 'leave a core dump of its memory',
    source: 'own',
    must: { status: 'execution_error', signal: 'SIGABRT' },
    proof: ['containment', 'processes'],
  },
  {
    program: 'compile-without-end.c',
    tries: 'keep the compiler busy with macros that multiply the source by ten million',
    source: 'own',
    limits: { timeoutSeconds: 3 },
    must: { status: ['compile_error', 'memory_exceeded'] },
    proof: ['containment', 'worker'],
  },
  {
    program: 'compile-to-a-huge-file.c',
    tries: 'have the compiler write a file of a gigabyte',
    source: 'own',
    must: { status: ['compile_error', 'memory_exceeded'] },
    proof: ['containment'],
  },
  {
    program: 'include-an-endless-file.c',
    tries: 'have the compiler include an endless file',
    source: 'own',
    must: { status: ['compile_error', 'memory_exceeded'] },
    proof: ['containment'],
  },
]
