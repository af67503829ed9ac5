import type { Entry } from '../attack.ts'
import { DISK_AND_OUTPUT } from './resources-of-files.ts'
import { MEMORY } from './resources-of-memory.ts'

/** The program was refused what it asked for, and ran to its end. */
const NORMAL_EXIT = { status: 'success', exitCode: 0 } as const
const TIMEOUT = { status: 'timeout', limit: 'timeout' } as const
/** gVisor keeps these objects in the container's own memory, so its limits of memory and time decide how the program ends. */
const CONTAINER_LIMIT = { status: ['execution_error', 'memory_exceeded', 'timeout'] } as const
const SMALL = { timeoutSeconds: 1, processes: 40 } as const

/** Attempts to take more of the host than the limits allow. */
export const RESOURCES: readonly Entry[] = [
  ...MEMORY,
  ...DISK_AND_OUTPUT,
  {
    program: 'fork-bomb-vfork.c',
    tries: 'fill the process table by fork and vfork',
    source: 'own',
    limits: SMALL,
    must: TIMEOUT,
    proof: ['containment'],
  },
  {
    program: 'fork-bomb.js',
    tries: 'start detached shells in an endless loop',
    source: 'own',
    limits: { ...SMALL, memoryMb: 512 },
    must: { status: ['timeout', 'execution_error'] },
    proof: ['containment'],
  },
  {
    program: 'endless-chain-of-forks.c',
    tries: 'outrun the clean-up: each process forks and ends at once, in a session of its own',
    source: 'own',
    limits: { processes: 40 },
    must: NORMAL_EXIT,
    proof: ['containment', 'processes'],
  },
  {
    program: 'threads.c',
    tries: 'fill the process table by threads',
    source: 'own',
    limits: { processes: 40, timeoutSeconds: 120 },
    must: NORMAL_EXIT,
    proof: ['containment'],
  },
  {
    program: 'zombies.c',
    tries: 'fill the process table with zombies',
    source: 'verl #1466',
    limits: { processes: 40, timeoutSeconds: 120 },
    must: NORMAL_EXIT,
    proof: ['containment'],
  },
  {
    program: 'processor-by-threads.c',
    tries: 'take every processor with forty busy threads',
    source: 'own',
    limits: { timeoutSeconds: 1 },
    must: TIMEOUT,
    proof: ['containment'],
  },
  {
    program: 'timer-storm.c',
    tries: 'keep the kernel busy with 100,000 timers that fire as fast as they can',
    source: 'own',
    limits: { timeoutSeconds: 1 },
    must: TIMEOUT,
    proof: ['containment', 'result'],
  },
  {
    program: 'deaf-to-signals.sh',
    tries: 'survive its timeout by ignoring every signal that can be ignored',
    source: 'own',
    limits: { timeoutSeconds: 1 },
    must: TIMEOUT,
    proof: ['containment'],
  },
  {
    program: 'stop-everybody.py',
    tries: 'stop (SIGSTOP) all processes, itself last',
    source: 'own',
    limits: { timeoutSeconds: 1 },
    must: TIMEOUT,
    proof: ['containment'],
  },
  {
    program: 'kill-everybody.sh',
    tries: 'kill all processes, init too',
    source: 'own',
    // Linux spares the caller of kill(-1), and PID 1.
    must: { status: ['execution_error'] },
    proof: ['victim', 'result'],
  },
  {
    program: 'descriptors.py',
    tries: 'open more files than it may',
    source: 'own',
    must: NORMAL_EXIT,
    proof: ['result'],
  },
  {
    program: 'descriptors-in-flight.py',
    tries: 'hold a million open files in unread messages between its own sockets',
    source: 'own',
    must: { runc: NORMAL_EXIT, runsc: CONTAINER_LIMIT },
    proof: ['containment', 'result'],
  },
  {
    program: 'watches.c',
    tries: 'use up all inotify instances and watches',
    source: 'own',
    must: { runc: NORMAL_EXIT, runsc: CONTAINER_LIMIT },
    proof: ['containment', 'result'],
  },
  {
    program: 'filters-on-sockets.c',
    tries: "use up the kernel's pool of BPF filters with filters on sockets",
    source: 'own',
    must: NORMAL_EXIT,
    proof: ['result'],
  },
  {
    program: 'filters-on-itself.c',
    tries: "use up the kernel's pool of BPF filters with seccomp filters on itself",
    source: 'own',
    must: NORMAL_EXIT,
    proof: ['result'],
  },
  {
    program: 'epoll-tower.c',
    tries: 'nest epoll sets so that each wake-up is quadratic',
    source: 'own',
    must: NORMAL_EXIT,
    proof: ['containment', 'result'],
  },
  {
    program: 'pending-signals.py',
    tries: 'queue a million signals',
    source: 'own',
    must: NORMAL_EXIT,
    proof: ['containment', 'result'],
  },
  {
    program: 'pseudo-terminals.py',
    tries: "use up the host's pseudo terminals",
    source: 'own',
    must: { runc: NORMAL_EXIT, runsc: CONTAINER_LIMIT },
    proof: ['result'],
  },
  {
    program: 'system-v-objects.c',
    tries: 'use up the System V queues, semaphores and segments, and leave them behind',
    source: 'own',
    must: { status: ['success', 'memory_exceeded'] },
    proof: ['objects', 'containment'],
  },
  {
    program: 'entropy.js',
    tries: "use up the host's random numbers",
    source: 'own',
    must: NORMAL_EXIT,
    proof: ['containment'],
  },
  {
    program: 'priorities.py',
    tries: 'raise its priority, and lower its chance to be killed when memory is short',
    source: 'own',
    // gVisor accepts a priority and an OOM score, but neither has an effect.
    must: { runc: NORMAL_EXIT, runsc: { ...NORMAL_EXIT, says: /^ESCAPED: took a priority$/ } },
    proof: ['victim', 'result'],
  },
  {
    program: 'daemons.c',
    tries: 'leave a daemon that outlives it',
    source: 'own',
    must: NORMAL_EXIT,
    proof: ['processes', 'containment'],
  },
  {
    program: 'detached-children.js',
    tries: 'leave a detached child that outlives it',
    source: 'own',
    must: NORMAL_EXIT,
    proof: ['processes', 'containment'],
  },
  {
    program: 'wait-for-input.py',
    tries: 'wait for input that never comes',
    source: 'own',
    limits: { timeoutSeconds: 1 },
    must: TIMEOUT,
    proof: ['result'],
  },
  {
    program: 'sleep-past-the-limit.js',
    tries: 'sleep past its time limit',
    source: 'own',
    limits: { timeoutSeconds: 1 },
    must: TIMEOUT,
    proof: ['containment'],
  },
  {
    program: 'huge-arguments.sh',
    tries: 'pass arguments and environment variables as large as the kernel allows',
    source: 'own',
    must: NORMAL_EXIT,
    proof: ['containment'],
  },
  {
    program: 'wide-exit-code.py',
    tries: 'end with an exit code of more than eight bits',
    source: 'own',
    must: { status: 'execution_error', exitCode: 3 },
    proof: ['result'],
  },
]
