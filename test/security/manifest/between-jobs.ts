import type { Entry } from '../attack.ts'

const DONE = { status: 'success' } as const
const REUSED = { must: DONE, container: 'used again' } as const

/** An attack on the next job of the same batch, and what becomes of the container that the two would share. */
export interface BetweenJobs extends Omit<Entry, 'proof' | 'source'> {
  /** Whether init can undo what it did, and prove it. */
  readonly container: 'used again' | 'thrown away'
}

/** Ways to outlive one's own job, or to leave something for the next. */
export const BETWEEN_JOBS: readonly BetweenJobs[] = [
  { program: 'daemons.c', tries: 'go on as a daemon that is deaf to signals', ...REUSED },
  { program: 'chain-of-forks.c', tries: 'outrun the killer by forking without end', ...REUSED },
  {
    program: 'stopped-and-dead-children.py',
    tries: 'leave stopped children, zombies below them, and one that waits undisturbed',
    ...REUSED,
  },
  {
    program: 'forever-in-many.sh',
    tries: 'outlast its time in many sessions',
    limits: { timeoutSeconds: 1 },
    must: { status: 'timeout', limit: 'timeout' },
    container: 'used again',
  },
  { program: 'odd-files.py', tries: 'leave files that are hard to remove', ...REUSED },
  { program: 'attributes-of-the-mounts.py', tries: 'mark the mounts themselves', ...REUSED },
  { program: 'replace-the-mounts.sh', tries: 'replace the mounts by other folders', ...REUSED },
  { program: 'plant-hooks.py', tries: 'have an interpreter or a shell run what it left', ...REUSED },
  {
    program: 'fill-the-mounts.py',
    tries: 'leave no room and no inode',
    limits: { memoryMb: 512 },
    ...REUSED,
  },
  {
    program: 'held-on-the-way.py',
    tries: 'leave memory, a file, ports and its output in a message without a receiver',
    ...REUSED,
  },
  { program: 'listeners.py', tries: 'keep ports and names', ...REUSED },
  {
    program: 'metrics-of-tcp.py',
    tries: 'leave a message in what the kernel remembers of each address',
    ...REUSED,
  },
  {
    program: 'ended-connections.py',
    tries: 'keep a port by a connection that has ended',
    must: DONE,
    container: 'thrown away',
  },
  {
    program: 'objects-without-processes.c',
    tries: 'leave objects that need no process: shared memory, queues, semaphores, keys, flow labels',
    ...REUSED,
  },
  { program: 'state-of-init.c', tries: 'change what the next program inherits from init', ...REUSED },
  { program: 'timers-and-pending-signals.c', tries: 'leave timers and signals on their way', ...REUSED },
  { program: 'fill-the-process-table.c', tries: 'leave no room for another process', ...REUSED },
  {
    program: 'fill-the-memory.py',
    tries: 'leave no memory to clean up with',
    limits: { memoryMb: 64 },
    must: { status: 'memory_exceeded', limit: 'memory' },
    container: 'thrown away',
  },
  {
    program: 'read-the-image.py',
    tries: 'have its memory counted as the next program’s',
    limits: { memoryMb: 128 },
    ...REUSED,
  },
  {
    program: 'keep-the-output-open.py',
    tries: 'write into the output of the next program',
    must: { status: 'success', stdout: 'x'.repeat(102_400) },
    container: 'used again',
  },
]
