import type { Entry } from '../attack.ts'

/** Both programs run to their end. */
const NORMAL_EXIT = { status: 'success', exitCode: 0 } as const
/** What the receiver prints shows whether the message came through. */
const RECEIVER = ['receiver'] as const

/** Ways for two jobs that run at the same time to pass 64 bits from one to the other. */
export const CHANNELS: readonly Entry[] = [
  {
    program: 'files-of-memory.py',
    tries: 'pass a message in files: /dev/shm, /tmp, the workspace and eight more places',
    source: 'isolate: a shared /dev/shm',
    must: NORMAL_EXIT,
    proof: RECEIVER,
  },
  {
    program: 'abstract-sockets.py',
    tries: 'pass a message over an abstract socket',
    source: 'own',
    must: NORMAL_EXIT,
    proof: RECEIVER,
  },
  {
    program: 'loopback-ports.js',
    tries: 'pass a message over TCP, UDP and multicast on loopback',
    source: 'own',
    must: NORMAL_EXIT,
    proof: RECEIVER,
  },
  {
    program: 'system-v.c',
    tries: 'pass a message by System V memory, queue and semaphores',
    source: 'own',
    must: NORMAL_EXIT,
    proof: RECEIVER,
  },
  {
    program: 'posix-queues.c',
    tries: 'pass a message by a POSIX queue, memory and semaphore',
    source: 'own',
    must: NORMAL_EXIT,
    proof: RECEIVER,
  },
  {
    program: 'keyrings.c',
    tries: 'pass a message as a key in the keyring of their user id',
    source: 'isolate 2.5 (keyctl)',
    must: NORMAL_EXIT,
    proof: RECEIVER,
  },
  {
    program: 'virtual-sockets.py',
    tries: 'pass a message over AF_VSOCK, the sockets of virtual machines',
    source: 'isolate 2.4 (AF_VSOCK)',
    must: NORMAL_EXIT,
    proof: RECEIVER,
  },
  {
    program: 'signals-and-processes.py',
    tries: "pass a message as a process' name, and by signals to every process id",
    source: 'own',
    must: NORMAL_EXIT,
    proof: RECEIVER,
  },
  {
    program: 'locks-on-image-files.py',
    tries: 'pass 64 bits as locks on 64 files of the image',
    source: 'isolate 2.6 (flock)',
    must: NORMAL_EXIT,
    proof: RECEIVER,
  },
  {
    program: 'locks-on-shared-inodes.c',
    tries: 'pass 64 bits as locks on inodes that exist once in the kernel',
    source: 'own',
    must: NORMAL_EXIT,
    proof: RECEIVER,
    known:
      'the inode of all anonymous descriptors and those of the shared user, time and cgroup namespaces exist once in the kernel; a filter cannot tell a lock on them from one on a file',
  },
  {
    program: 'watches-on-image-files.c',
    tries: 'notice by inotify which files of the image the other job opens',
    source: 'own',
    must: NORMAL_EXIT,
    proof: RECEIVER,
  },
  {
    program: 'times-of-image-files.py',
    tries: 'notice by times, sizes and link counts what the other job does to files of the image',
    source: 'own',
    must: NORMAL_EXIT,
    proof: RECEIVER,
  },
  {
    program: 'counters-of-the-user.py',
    tries: 'notice that the other job has used up what the kernel counts per user id',
    source: 'own',
    // Under gVisor only the memory limit bounds what the sender can take.
    must: { runc: NORMAL_EXIT, runsc: { status: ['success', 'memory_exceeded'] } },
    proof: RECEIVER,
  },
  {
    program: 'page-cache.c',
    tries: 'pass 64 bits by which pages of an image file are in memory',
    source: 'page-cache attacks, 2019',
    must: NORMAL_EXIT,
    proof: RECEIVER,
    known: 'all containers share the cached pages of an image file, so a page read lately is read faster',
  },
  {
    program: 'futexes-of-image-files.c',
    tries: 'pass 64 bits as futexes on pages of an image file that neither job can write',
    source: 'own',
    must: NORMAL_EXIT,
    proof: RECEIVER,
    known:
      'the kernel identifies a futex in a mapped file by the inode, which all containers of an image share; a filter cannot distinguish it from a futex in shared memory, which processes need',
  },
  {
    program: 'maps-of-image-files.c',
    tries: 'pass 64 bits by which pages of an image file the other job has mapped',
    source: 'own',
    must: NORMAL_EXIT,
    proof: RECEIVER,
    known:
      'pagemap and smaps of a process show which pages it shares; they lie in a folder that no mount covers, so only AppArmor can refuse them',
  },
  {
    program: 'inode-numbers.c',
    tries: 'pass 64 bits by the counter from which new inodes get their numbers',
    source: 'own',
    must: NORMAL_EXIT,
    proof: RECEIVER,
    known: 'numbers of pipes and sockets come from counters of the whole kernel',
  },
  {
    program: 'counters-of-the-kernel.c',
    tries: 'pass 64 bits by counters in /proc/sys that count for the whole host',
    source: 'own',
    limits: { openFiles: 4096 },
    must: NORMAL_EXIT,
    proof: RECEIVER,
  },
  {
    program: 'counters-of-tcp.c',
    tries: 'pass 64 bits by the number of TCP sockets of the whole host',
    source: 'own',
    limits: { openFiles: 1024 },
    must: NORMAL_EXIT,
    proof: RECEIVER,
    known: '/proc/net/sockstat shows the number of TCP sockets of the whole host, and their memory',
  },
  {
    program: 'counters-in-proc.c',
    tries: 'pass 64 bits by huge pages and processes, as /proc counts them for the whole host',
    source: 'own',
    must: NORMAL_EXIT,
    proof: RECEIVER,
    known: '/proc/meminfo and /proc/stat count huge pages and started processes of the whole host',
  },
  {
    program: 'memory-of-the-host.c',
    tries: 'pass 64 bits by the free memory of the host',
    source: 'own',
    must: NORMAL_EXIT,
    proof: RECEIVER,
    known: 'sysinfo reports free memory and load of the whole host to every program',
  },
]
