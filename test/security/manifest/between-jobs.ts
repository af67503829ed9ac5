import type { Entry } from '../attack.ts'

const DONE = { status: 'success' } as const
const REUSED = { must: DONE, container: 'reused' } as const

/** An attack on the next job of the same batch, and whether that job may still get the same container. */
export interface BetweenJobs extends Omit<Entry, 'proof' | 'source'> {
  /** `reused` if init can undo what the program did and verify that; otherwise `discarded`. */
  readonly container: 'reused' | 'discarded'
}

/** Attempts to outlive their own job, or to leave something for the next job. */
export const BETWEEN_JOBS: readonly BetweenJobs[] = [
  { program: 'daemons.c', tries: 'go on as a daemon that ignores signals', ...REUSED },
  { program: 'chain-of-forks.c', tries: 'outrun the clean-up by forking endlessly', ...REUSED },
  {
    program: 'stopped-and-dead-children.py',
    tries: 'leave stopped children with zombies, and a child that waits in vfork',
    ...REUSED,
  },
  {
    program: 'forever-in-many.sh',
    tries: 'outlast its timeout in many sessions',
    limits: { timeoutSeconds: 1 },
    must: { status: 'timeout', limit: 'timeout' },
    container: 'reused',
  },
  { program: 'odd-files.py', tries: 'leave files that are hard to remove', ...REUSED },
  {
    program: 'attributes-of-the-mounts.py',
    tries: 'change the attributes of the mounts themselves',
    ...REUSED,
  },
  { program: 'replace-the-mounts.sh', tries: 'put other folders in the place of the mounts', ...REUSED },
  { program: 'plant-hooks.py', tries: 'have an interpreter or a shell run what it left', ...REUSED },
  {
    program: 'fill-the-mounts.py',
    tries: 'leave no free space and no free inode',
    limits: { memoryMb: 512 },
    ...REUSED,
  },
  {
    program: 'held-on-the-way.py',
    tries: 'leave memory, a file, ports and its output streams open in a message that no process can receive',
    ...REUSED,
  },
  { program: 'listeners.py', tries: 'keep listening on TCP ports and abstract socket names', ...REUSED },
  {
    program: 'metrics-of-tcp.py',
    tries: 'leave a message in the TCP metrics that the kernel keeps for each address',
    ...REUSED,
  },
  {
    program: 'ended-connections.py',
    tries: 'keep a port occupied by a connection that has ended',
    must: DONE,
    container: 'discarded',
  },
  {
    program: 'objects-without-processes.c',
    tries: 'leave objects that need no process: shared memory, queues, semaphores, keys, flow labels',
    ...REUSED,
  },
  { program: 'state-of-init.c', tries: 'change what the next program inherits from init', ...REUSED },
  { program: 'timers-and-pending-signals.c', tries: 'leave armed timers and pending signals', ...REUSED },
  { program: 'fill-the-process-table.c', tries: 'leave no free process id', ...REUSED },
  {
    program: 'fill-the-memory.py',
    tries: 'leave so little memory that the clean-up fails',
    limits: { memoryMb: 64 },
    must: { status: 'memory_exceeded', limit: 'memory' },
    container: 'discarded',
  },
  {
    program: 'read-the-image.py',
    tries: 'have its memory counted against the next program',
    limits: { memoryMb: 128 },
    ...REUSED,
  },
  {
    program: 'keep-the-output-open.py',
    tries: 'write into the output of the next program',
    must: { status: 'success', stdout: 'x'.repeat(102_400) },
    container: 'reused',
  },
]
