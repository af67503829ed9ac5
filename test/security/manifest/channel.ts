import type { Entry } from '../attack.ts'

const IN_VAIN = { status: 'success', exitCode: 0 } as const
const UNHEARD = ['receiver'] as const

/** Ways for two jobs that run at the same time to pass 64 bits from one to the other. */
export const CHANNELS: readonly Entry[] = [
  {
    program: 'files-of-memory.py',
    tries: 'pass a message in files: /dev/shm, /tmp, the workspace and eight more places',
    source: 'isolate: a shared /dev/shm',
    must: IN_VAIN,
    proof: UNHEARD,
  },
  {
    program: 'abstract-sockets.py',
    tries: 'pass a message over an abstract socket',
    source: 'own',
    must: IN_VAIN,
    proof: UNHEARD,
  },
  {
    program: 'loopback-ports.js',
    tries: 'pass a message over TCP, UDP and multicast on loopback',
    source: 'own',
    must: IN_VAIN,
    proof: UNHEARD,
  },
  {
    program: 'system-v.c',
    tries: 'pass a message by System V memory, queue and semaphores',
    source: 'own',
    must: IN_VAIN,
    proof: UNHEARD,
  },
  {
    program: 'posix-queues.c',
    tries: 'pass a message by a POSIX queue, memory and semaphore',
    source: 'own',
    must: IN_VAIN,
    proof: UNHEARD,
  },
  {
    program: 'keyrings.c',
    tries: 'pass a message as a key of the user that both are',
    source: 'isolate 2.5 (keyctl)',
    must: IN_VAIN,
    proof: UNHEARD,
  },
  {
    program: 'virtual-sockets.py',
    tries: 'pass a message over the sockets of virtual machines',
    source: 'isolate 2.4 (AF_VSOCK)',
    must: IN_VAIN,
    proof: UNHEARD,
  },
  {
    program: 'signals-and-processes.py',
    tries: "pass a message as a process' name, and by signals to every process id",
    source: 'own',
    must: IN_VAIN,
    proof: UNHEARD,
  },
  {
    program: 'locks-on-image-files.py',
    tries: 'pass 64 bits as locks on 64 files of the image',
    source: 'isolate 2.6 (flock)',
    must: IN_VAIN,
    proof: UNHEARD,
  },
  {
    program: 'locks-on-shared-inodes.c',
    tries: 'pass 64 bits as locks on inodes that exist once in the kernel',
    source: 'own',
    must: IN_VAIN,
    proof: UNHEARD,
    known:
      'the inode of all anonymous descriptors and those of the shared user, time and cgroup namespaces exist once in the kernel; a filter cannot tell a lock on them from one on a file',
  },
  {
    program: 'watches-on-image-files.c',
    tries: 'notice by inotify what the other opens in the image',
    source: 'own',
    must: IN_VAIN,
    proof: UNHEARD,
  },
  {
    program: 'times-of-image-files.py',
    tries: 'notice by times, sizes and links what the other does to shared files',
    source: 'own',
    must: IN_VAIN,
    proof: UNHEARD,
  },
  {
    program: 'counters-of-the-user.py',
    tries: 'notice that the other has used up what the kernel counts for each user',
    source: 'own',
    // Under gVisor nothing but memory bounds what it takes.
    must: { runc: IN_VAIN, runsc: { status: ['success', 'memory_exceeded'] } },
    proof: UNHEARD,
  },
  {
    program: 'page-cache.c',
    tries: 'pass 64 bits as pages of an image file that are in memory or not',
    source: 'page-cache attacks, 2019',
    must: IN_VAIN,
    proof: UNHEARD,
    known: 'image files are one set of pages for all containers: what was read lately is read faster',
  },
  {
    program: 'futexes-of-image-files.c',
    tries: 'pass 64 bits as futexes on pages of an image file that neither can write',
    source: 'own',
    must: IN_VAIN,
    proof: UNHEARD,
    known:
      'a futex in memory of a file is known by its inode, which all containers of an image share; a filter cannot tell it from one in shared memory, where processes need it',
  },
  {
    program: 'maps-of-image-files.c',
    tries: 'pass 64 bits as pages of an image file that somebody else has mapped too',
    source: 'own',
    must: IN_VAIN,
    proof: UNHEARD,
    known:
      'pagemap and smaps of a process tell which pages it shares; they lie in a folder that no mount covers, and need AppArmor to be refused',
  },
  {
    program: 'inode-numbers.c',
    tries: 'pass 64 bits by how far the counter of inode numbers has moved',
    source: 'own',
    must: IN_VAIN,
    proof: UNHEARD,
    known: 'numbers of pipes and sockets come from counters of the whole kernel',
  },
  {
    program: 'counters-of-the-kernel.c',
    tries: 'pass 64 bits by counters in /proc/sys that are one for the whole host',
    source: 'own',
    limits: { openFiles: 4096 },
    must: IN_VAIN,
    proof: UNHEARD,
  },
  {
    program: 'counters-of-tcp.c',
    tries: 'pass 64 bits by the number of TCP sockets that the kernel has',
    source: 'own',
    limits: { openFiles: 1024 },
    must: IN_VAIN,
    proof: UNHEARD,
    known: '/proc/net/sockstat tells the number of TCP sockets, and their memory, of the whole host',
  },
  {
    program: 'counters-in-proc.c',
    tries: 'pass 64 bits by huge pages and processes, as /proc counts them for the whole host',
    source: 'own',
    must: IN_VAIN,
    proof: UNHEARD,
    known: '/proc/meminfo and /proc/stat count huge pages and started processes of the whole host',
  },
  {
    program: 'memory-of-the-host.c',
    tries: 'pass 64 bits by how much memory the host has left',
    source: 'own',
    must: IN_VAIN,
    proof: UNHEARD,
    known: 'sysinfo reports free memory and load of the whole host to every program',
  },
]
