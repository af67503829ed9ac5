import type { Entry } from '../attack.ts'

const OUT_OF_MEMORY = { status: 'memory_exceeded', limit: 'memory' } as const
/** The program was refused what it asked for, and ran to its end. */
const NORMAL_EXIT = { status: 'success', exitCode: 0 } as const
const SMALL = { memoryMb: 64 } as const

/** Attempts to make the kernel hold more memory for a program than its limit. */
export const MEMORY: readonly Entry[] = [
  {
    program: 'memory-by-page-cache.sh',
    tries: 'hold memory as files of its workspace, which are in memory',
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
    tries: 'hold memory in files without a name (memfd)',
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
    tries: 'hold memory in the buffers of Unix sockets',
    source: 'own',
    limits: { ...SMALL, openFiles: 4096 },
    must: { status: ['memory_exceeded', 'success'] },
    proof: ['containment'],
  },
  {
    program: 'memory-in-netlink.c',
    tries: 'hold memory in answers of netlink, which no cgroup counts',
    source: 'own',
    must: NORMAL_EXIT,
    proof: ['containment', 'result'],
  },
  {
    program: 'memory-in-huge-pages.c',
    tries: "hold memory in the host's pool of huge pages",
    source: 'own',
    must: NORMAL_EXIT,
    proof: ['containment', 'result'],
  },
  {
    program: 'memory-in-unaccepted-connections.c',
    tries: 'hold memory in unaccepted connections, which no cgroup counts',
    source: 'own',
    limits: SMALL,
    must: {
      runc: OUT_OF_MEMORY,
      // gVisor's kernel, which holds the connections, is itself inside the container's memory limit.
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
    tries: 'map a terabyte and touch one byte for each page table',
    source: 'own',
    limits: SMALL,
    must: {
      runc: { status: ['memory_exceeded', 'execution_error'] },
      // Under gVisor the program may reach its timeout before its memory limit.
      runsc: { status: ['memory_exceeded', 'execution_error', 'timeout'] },
    },
    proof: ['containment'],
  },
  {
    program: 'memory-page-tables.c',
    tries: 'hold memory in page tables that all point to the shared zero page',
    source: 'own',
    limits: SMALL,
    must: OUT_OF_MEMORY,
    proof: ['containment'],
  },
  {
    program: 'memory-in-buffers.js',
    tries: "hold memory outside of V8's heap",
    source: 'own',
    limits: SMALL,
    // gVisor's own memory counts too, and it slows down near the limit, so the timeout can come first.
    must: { runc: OUT_OF_MEMORY, runsc: { status: ['memory_exceeded', 'timeout'] } },
    proof: ['containment'],
  },
  {
    program: 'stack-without-end.c',
    tries: 'recurse until the stack fills the memory',
    source: 'own',
    limits: SMALL,
    must: { status: 'execution_error', signal: 'SIGSEGV' },
    proof: ['containment'],
  },
  {
    program: 'shield-from-oom.sh',
    tries: 'have the kernel kill init in its place when memory runs out',
    source: 'own',
    limits: SMALL,
    must: { status: ['memory_exceeded', 'execution_error'] },
    proof: ['containment', 'result'],
  },
]
