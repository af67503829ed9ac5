import type { Entry } from '../attack.ts'
import { DISK_AND_OUTPUT } from './resources-of-files.ts'
import { MEMORY } from './resources-of-memory.ts'

const IN_VAIN = { status: 'success', exitCode: 0 } as const
const OUT_OF_TIME = { status: 'timeout', limit: 'timeout' } as const
/** Objects of gVisor's own kernel, which live in the memory of the container and are bounded by nothing else. */
const HAD_ITS_OWN = { status: ['execution_error', 'memory_exceeded', 'timeout'] } as const
const SMALL = { timeoutSeconds: 2, processes: 40 } as const

/** Ways to take more than a program's share of the host. */
export const RESOURCES: readonly Entry[] = [
  ...MEMORY,
  ...DISK_AND_OUTPUT,
  {
    program: 'fork-bomb-vfork.c',
    tries: 'fill the table of processes by fork and vfork',
    source: 'own',
    limits: SMALL,
    must: OUT_OF_TIME,
    proof: ['containment'],
  },
  {
    program: 'fork-bomb.js',
    tries: 'start detached shells without end',
    source: 'own',
    limits: { ...SMALL, memoryMb: 512 },
    must: { status: ['timeout', 'execution_error'] },
    proof: ['containment'],
  },
  {
    program: 'endless-chain-of-forks.c',
    tries: 'outrun the killer: each process forks and ends at once, in a session of its own',
    source: 'own',
    limits: { processes: 40 },
    must: IN_VAIN,
    proof: ['containment', 'processes'],
  },
  {
    program: 'threads.c',
    tries: 'fill the table of processes by threads',
    source: 'own',
    limits: { processes: 40 },
    must: IN_VAIN,
    proof: ['containment'],
  },
  {
    program: 'zombies.c',
    tries: 'fill the table of processes by dead ones that nobody waits for',
    source: 'verl #1466',
    limits: { processes: 40 },
    must: IN_VAIN,
    proof: ['containment'],
  },
  {
    program: 'processor-by-threads.c',
    tries: 'take every processor with forty busy threads',
    source: 'own',
    limits: { timeoutSeconds: 1 },
    must: OUT_OF_TIME,
    proof: ['containment'],
  },
  {
    program: 'timer-storm.c',
    tries: 'bury init under timers and their signals',
    source: 'own',
    limits: { timeoutSeconds: 2 },
    must: OUT_OF_TIME,
    proof: ['containment', 'result'],
  },
  {
    program: 'deaf-to-signals.sh',
    tries: 'ignore every signal that can be ignored',
    source: 'own',
    limits: { timeoutSeconds: 1 },
    must: OUT_OF_TIME,
    proof: ['containment'],
  },
  {
    program: 'stop-everybody.py',
    tries: 'stop all processes, itself last',
    source: 'own',
    limits: { timeoutSeconds: 1 },
    must: OUT_OF_TIME,
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
    tries: 'open files without end',
    source: 'own',
    must: IN_VAIN,
    proof: ['result'],
  },
  {
    program: 'descriptors-in-flight.py',
    tries: 'hide a million open files in messages between its own sockets',
    source: 'own',
    must: { runc: IN_VAIN, runsc: HAD_ITS_OWN },
    proof: ['containment', 'result'],
  },
  {
    program: 'watches.c',
    tries: 'take all inotify instances and watches',
    source: 'own',
    must: { runc: IN_VAIN, runsc: HAD_ITS_OWN },
    proof: ['containment', 'result'],
  },
  {
    program: 'epoll-tower.c',
    tries: 'nest epoll sets so that each wake-up is quadratic',
    source: 'own',
    must: IN_VAIN,
    proof: ['containment', 'result'],
  },
  {
    program: 'pending-signals.py',
    tries: 'queue a million signals',
    source: 'own',
    must: IN_VAIN,
    proof: ['containment', 'result'],
  },
  {
    program: 'pseudo-terminals.py',
    tries: "take the host's pseudo terminals",
    source: 'own',
    must: { runc: IN_VAIN, runsc: HAD_ITS_OWN },
    proof: ['result'],
  },
  {
    program: 'system-v-objects.c',
    tries: 'leave System V queues, semaphores and segments without end',
    source: 'own',
    must: { status: ['success', 'memory_exceeded'] },
    proof: ['objects', 'containment'],
  },
  {
    program: 'entropy.js',
    tries: 'use up the randomness',
    source: 'own',
    must: IN_VAIN,
    proof: ['containment'],
  },
  {
    program: 'priorities.py',
    tries: 'go before everybody else, and be killed after them',
    source: 'own',
    // gVisor remembers a priority and a score, and heeds neither.
    must: { runc: IN_VAIN, runsc: { ...IN_VAIN, says: /^ESCAPED: took a priority$/ } },
    proof: ['victim', 'result'],
  },
  {
    program: 'daemons.c',
    tries: 'live on as a daemon after its end',
    source: 'own',
    must: IN_VAIN,
    proof: ['processes', 'containment'],
  },
  {
    program: 'detached-children.js',
    tries: 'live on as a detached child after its end',
    source: 'own',
    must: IN_VAIN,
    proof: ['processes', 'containment'],
  },
  {
    program: 'wait-for-input.py',
    tries: 'wait for input that never comes',
    source: 'own',
    limits: { timeoutSeconds: 1 },
    must: OUT_OF_TIME,
    proof: ['result'],
  },
  {
    program: 'sleep-past-the-limit.js',
    tries: 'outlast its limit asleep',
    source: 'own',
    limits: { timeoutSeconds: 1 },
    must: OUT_OF_TIME,
    proof: ['containment'],
  },
  {
    program: 'huge-arguments.sh',
    tries: 'pass arguments and variables as large as the kernel takes',
    source: 'own',
    must: IN_VAIN,
    proof: ['containment'],
  },
  {
    program: 'wide-exit-code.py',
    tries: 'end with a code of more than eight bits',
    source: 'own',
    must: { status: 'execution_error', exitCode: 3 },
    proof: ['result'],
  },
]
