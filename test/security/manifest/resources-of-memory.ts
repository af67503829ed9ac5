import type { Entry } from '../attack.ts'

const OUT_OF_MEMORY = { status: 'memory_exceeded', limit: 'memory' } as const
const IN_VAIN = { status: 'success', exitCode: 0 } as const
const SMALL = { memoryMb: 64 } as const

/** Every way to make the kernel hold memory for a program. */
export const MEMORY: readonly Entry[] = [
  {
    program: 'memory-by-page-cache.sh',
    tries: 'hold memory as files',
    source: 'own',
    limits: { ...SMALL, diskMb: 512 },
    must: OUT_OF_MEMORY,
    proof: ['containment'],
  },
  {
    program: 'memory-shared.c',
    tries: 'hold memory in System V segments and shared maps',
    source: 'own',
    limits: SMALL,
    must: OUT_OF_MEMORY,
    proof: ['containment', 'objects'],
  },
  {
    program: 'memory-in-memfds.py',
    tries: 'hold memory in files without a name',
    source: 'own',
    limits: SMALL,
    must: OUT_OF_MEMORY,
    proof: ['containment'],
  },
  {
    program: 'memory-in-pipes.c',
    tries: 'hold memory in unread pipes',
    source: 'own',
    limits: { ...SMALL, openFiles: 4096 },
    must: { status: ['memory_exceeded', 'success'] },
    proof: ['containment'],
  },
  {
    program: 'memory-in-unix-sockets.c',
    tries: 'hold memory in the buffers of sockets',
    source: 'own',
    limits: { ...SMALL, openFiles: 4096 },
    must: { status: ['memory_exceeded', 'success'] },
    proof: ['containment'],
  },
  {
    program: 'memory-in-netlink.c',
    tries: 'hold memory in answers of netlink, which no cgroup counts',
    source: 'own',
    must: IN_VAIN,
    proof: ['containment', 'result'],
  },
  {
    program: 'memory-in-huge-pages.c',
    tries: "hold memory in the host's pool of huge pages",
    source: 'own',
    must: IN_VAIN,
    proof: ['containment', 'result'],
  },
  {
    program: 'memory-in-unaccepted-connections.c',
    tries: 'hold memory in unaccepted connections, which no cgroup counts',
    source: 'own',
    limits: SMALL,
    must: {
      runc: OUT_OF_MEMORY,
      // The memory of its own kernel is the container's.
      runsc: { status: ['memory_exceeded', 'execution_error', 'timeout', 'success'] },
    },
    proof: ['containment', 'result'],
  },
  {
    program: 'memory-locked.c',
    tries: 'lock half a gigabyte into memory',
    source: 'own',
    limits: SMALL,
    must: { status: ['memory_exceeded', 'execution_error'] },
    proof: ['containment'],
  },
  {
    program: 'memory-sparse-map.c',
    tries: 'map a terabyte of holes and touch it here and there',
    source: 'own',
    limits: SMALL,
    must: {
      runc: { status: ['memory_exceeded', 'execution_error'] },
      // It may be slower to touch them than the clock.
      runsc: { status: ['memory_exceeded', 'execution_error', 'timeout'] },
    },
    proof: ['containment'],
  },
  {
    program: 'memory-page-tables.c',
    tries: 'hold memory in page tables of pages that cost nothing',
    source: 'own',
    limits: SMALL,
    must: OUT_OF_MEMORY,
    proof: ['containment'],
  },
  {
    program: 'memory-in-buffers.js',
    tries: 'hold memory outside of the heap of its engine',
    source: 'own',
    limits: SMALL,
    // gVisor itself is near the limit by then, and slow.
    must: { runc: OUT_OF_MEMORY, runsc: { status: ['memory_exceeded', 'timeout'] } },
    proof: ['containment'],
  },
  {
    program: 'stack-without-end.c',
    tries: 'call itself until the stack is the memory',
    source: 'own',
    limits: SMALL,
    must: { status: 'execution_error', signal: 'SIGSEGV' },
    proof: ['containment'],
  },
  {
    program: 'shield-from-oom.sh',
    tries: 'have the kernel kill init in its place',
    source: 'own',
    limits: SMALL,
    must: { status: ['memory_exceeded', 'execution_error'] },
    proof: ['containment', 'result'],
  },
]
